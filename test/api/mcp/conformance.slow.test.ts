/**
 * The official conformance tests of servers. Most of their scenarios are for a reference server: they call tools,
 * resources and prompts of given names (`test_simple_text`, `test://static-text`, …) to see what an SDK can do. Those
 * that look at any server run here; the others are listed with the reason, so that a new one asks for a decision.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { startTestApp, type TestApp } from "../../support/http.ts";
import { ofSuite } from "../../support/suite.ts";

const CONFORMANCE = join(import.meta.dirname, "../../../node_modules/.bin/conformance");
const run = promisify(execFile);

/** With the number of checks that each makes; of streams it only says that this server has none. */
const APPLY: Record<string, number> = {
  "server-initialize": 1,
  ping: 1,
  "tools-list": 1,
  "resources-list": 1,
  "prompts-list": 1,
  "dns-rebinding-protection": 2,
  "server-sse-polling": 0,
  "server-sse-multiple-streams": 0,
};

const OTHER_TOOLS = "calls a tool that only the reference server has";
const OTHER_RESOURCES = "reads a resource that only the reference server has";
const OTHER_PROMPTS = "gets a prompt that only the reference server has";
const NOT_OFFERED = "needs a capability that this server does not announce";

const DO_NOT_APPLY: Record<string, string> = {
  "logging-set-level": NOT_OFFERED,
  "completion-complete": NOT_OFFERED,
  "resources-subscribe": NOT_OFFERED,
  "resources-unsubscribe": NOT_OFFERED,
  "tools-call-simple-text": OTHER_TOOLS,
  "tools-call-image": OTHER_TOOLS,
  "tools-call-audio": OTHER_TOOLS,
  "tools-call-embedded-resource": OTHER_TOOLS,
  "tools-call-mixed-content": OTHER_TOOLS,
  "tools-call-with-logging": OTHER_TOOLS,
  "tools-call-error": OTHER_TOOLS,
  "tools-call-with-progress": OTHER_TOOLS,
  "tools-call-sampling": OTHER_TOOLS,
  "tools-call-elicitation": OTHER_TOOLS,
  "json-schema-2020-12": OTHER_TOOLS,
  "elicitation-sep1034-defaults": OTHER_TOOLS,
  "elicitation-sep1330-enums": OTHER_TOOLS,
  "resources-read-text": OTHER_RESOURCES,
  "resources-read-binary": OTHER_RESOURCES,
  "resources-templates-read": OTHER_RESOURCES,
  "prompts-get-simple": OTHER_PROMPTS,
  "prompts-get-with-args": OTHER_PROMPTS,
  "prompts-get-embedded-resource": OTHER_PROMPTS,
  "prompts-get-with-image": OTHER_PROMPTS,
};

describe("The official conformance tests", () => {
  const app = ofSuite(() =>
    startTestApp({ settings: { keyLimitPerMinute: 100_000, addressLimitPerMinute: 100_000 } }),
  );
  let proxy: Server;
  let folder: string;
  before(async () => {
    proxy = await withKey(app);
    folder = mkdtempSync(join(tmpdir(), "assay-conformance-"));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    proxy.close();
  });

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
    expect(scenarios).to.have.members([...Object.keys(APPLY), ...Object.keys(DO_NOT_APPLY)]);
  });
});

/** The tests can send no API key. All else goes through as it is, the Host that they make up included. */
async function withKey(app: TestApp): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, "x-api-key": app.key };
    const onward = request(
      new URL(incoming.url ?? "/", app.url),
      { method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
