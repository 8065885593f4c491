/**
 * The official conformance tests of servers. Most of their scenarios are for a reference server: they call tools,
 * resources and prompts of given names (`test_simple_text`, `test://static-text`, …) to see what an SDK can do. Those
 * that look at any server run here; the others are listed with the reason, so that a new one asks for a decision.
 */
import { execFile } from "node:child_process";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { type TestApp, testApp } from "../../support/http.ts";
import { ofSuite, testFolder } from "../../support/suite.ts";

const CONFORMANCE = join(import.meta.dirname, "../../../node_modules/.bin/conformance");
const run = promisify(execFile);

/** With the number of checks that each makes. */
const APPLY: Record<string, number> = {
  "server-initialize": 1,
  ping: 1,
  "tools-list": 1,
  "resources-list": 1,
  "prompts-list": 1,
  "dns-rebinding-protection": 2,
};

const OTHER_TOOLS = "calls a tool that only the reference server has";
const OTHER_RESOURCES = "reads a resource that only the reference server has";
const OTHER_PROMPTS = "gets a prompt that only the reference server has";
const NOT_OFFERED = "needs a capability that this server does not announce";

const called = (...kinds: string[]) => kinds.map((kind) => `tools-call-${kind}`);

const DO_NOT_APPLY: Record<string, readonly string[]> = {
  [NOT_OFFERED]: [
    ...["logging-set-level", "resources-subscribe", "resources-unsubscribe"],
    ...["server-sse-polling", "server-sse-multiple-streams"],
  ],
  [OTHER_TOOLS]: [
    ...called("simple-text", "image", "audio", "embedded-resource", "mixed-content", "with-logging"),
    ...called("error", "with-progress", "sampling", "elicitation"),
    ...["json-schema-2020-12", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"],
  ],
  [OTHER_RESOURCES]: ["resources-read-text", "resources-read-binary", "resources-templates-read"],
  [OTHER_PROMPTS]: [
    ...["completion-complete", "prompts-get-simple", "prompts-get-with-args"],
    ...["prompts-get-embedded-resource", "prompts-get-with-image"],
  ],
};

describe("The official conformance tests", () => {
  const app = testApp({ settings: { keyLimitPerMinute: 100_000, addressLimitPerMinute: 100_000 } });
  const folder = testFolder("conformance");
  const proxy = ofSuite(() => withKey(app));

  const conformance = (...args: string[]) =>
    run(process.execPath, [CONFORMANCE, ...args], { cwd: folder, maxBuffer: 10_000_000 });

  for (const [scenario, checks] of Object.entries(APPLY))
    it(`pass, with a key and without: ${scenario}`, async () => {
      const { port } = proxy.address() as AddressInfo;
      const runs = [`http://127.0.0.1:${port}/mcp`, `${app.url}/mcp`].map(async (url) => {
        const { stdout } = await conformance("server", "--url", url, "--scenario", scenario);
        expect(stdout).to.contain(`Passed: ${checks}/${checks}, 0 failed`);
      });
      await Promise.all(runs);
    });

  it("have no scenario that nobody has decided about", async () => {
    const { stdout } = await conformance("list", "--server");
    const scenarios = [...stdout.split("Client scenarios")[0]!.matchAll(/^ +- ([a-z0-9-]+)/gm)].map(
      ([, name]) => name,
    );
    expect(scenarios).to.have.members([...Object.keys(APPLY), ...Object.values(DO_NOT_APPLY).flat()]);
  });
});

/** The tests can send no API key. All else goes through as it is, the Host that they make up included. */
async function withKey(app: TestApp): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, "x-api-key": app.key };
    const url = new URL(incoming.url ?? "/", app.url);
    const onward = request(url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
