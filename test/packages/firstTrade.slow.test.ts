/** The first trade of somebody who has the documents and an empty folder, within two minutes each. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect } from "chai";
import { debianProgram } from "../support/debian.ts";
import { failureOf } from "../support/failure.ts";
import { runIn } from "../support/packages.ts";
import { type LocalServer, localServer } from "../support/ports.ts";
import { testNewcomer, transcriptOf } from "./newcomer.ts";

/**
 * @param target where the real one stands, without a slash at the end
 * @param change of each request's and each answer's body; `path` is the request's
 */
async function rewriting(
  target: string,
  change: (body: string, path: string) => string,
): Promise<LocalServer> {
  return localServer(async (request, response) => {
    const path = request.url ?? "/";
    const headers = new Headers();
    for (const name of ["content-type", "accept", "authorization", "payment-signature"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    const body = isRead ? null : change(await text(request), path);
    try {
      const answer = await fetch(`${target}${path}`, { method: request.method ?? "GET", headers, body });
      const changed = change(await answer.text(), path);
      for (const [name, value] of answer.headers)
        if (!/^(content-length|content-encoding|transfer-encoding|connection|keep-alive)$/.test(name))
          response.setHeader(name, value);
      response.writeHead(answer.status).end(changed);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
}

const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "docs/examples/trade.py");
/** Of a page, by name. */
const steps = (page: string, ...names: string[]) =>
  transcriptOf(page).filter(({ name }) => names.includes(name));

describe("a first trade from an empty folder, by the documents alone", function () {
  this.timeout(120_000);
  const newcomer = testNewcomer("first-trade");

  it("is made by Python's standard library, as docs/first-trade.md gets it from the service, after the packed verifier has agreed or with a warning", async function () {
    debianProgram(this, "python3");
    await newcomer.follow(steps("docs/first-trade.md", "get", "python"));
    const settings = join(newcomer.dataDir, "local.json");
    const { output } = runIn(newcomer.folder, "python3", ["trade.py", settings]);
    expect(output, "without a verifier").to.match(/^NOT checked: [\s\S]*^confirmed /m);
  });

  it("begins with a copy of the market's data by Python's standard library, whose premiums come out again", async function () {
    debianProgram(this, "python3");
    await newcomer.follow(transcriptOf("docs/data.md"));
  });

  it("is made over MCP by the official clients of both generations, whose versions docs/mcp.md names", async () => {
    const page = readFileSync(join(ROOT, "docs/mcp.md"), "utf8");
    const scope = join(newcomer.folder, "node_modules/@modelcontextprotocol");
    await newcomer.follow(steps("docs/mcp.md", "install"));
    await mkdir(scope);
    for (const name of ["client", "sdk"]) {
      const at = join(ROOT, "node_modules/@modelcontextprotocol", name);
      const { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
      expect(page).to.include(`npm install @modelcontextprotocol/${name}@${version}`);
      await symlink(at, join(scope, name));
    }
    await newcomer.follow(steps("docs/mcp.md", "trade.mjs", "client.mjs", "sdk.mjs", "client", "sdk"));
  });

  it("in Python is not signed where the service means another token, guard, amount, recipient or time than the buyer", async function () {
    debianProgram(this, "python3");
    const { guard, tokens } = newcomer.local;
    const zeroes = "0x0000000000000000000000000000000000000001";
    const lies: [RegExp, (body: string) => string][] = [
      [
        /another token by AAPLx/,
        (body) => body.replace(`"${tokens.AAPLx!.assetKey}"`, `"${tokens.TSLAx!.assetKey}"`),
      ],
      [/trades by another guard/, (body) => body.replaceAll(`"to":"${guard}"`, `"to":"${zeroes}"`)],
      [
        /amountIn of the trade is 250000001, not 250000000/,
        (body) => body.replace('"amountIn":"250000000"', '"amountIn":"250000001"'),
      ],
      [
        /recipient of the trade is 0x0+1, not 0x/,
        (body) => body.replace(/"recipient":"0x\w+"/, `"recipient":"${zeroes}"`),
      ],
      [/its deadline is 9999999999/, (body) => body.replace(/"deadline":"\d+"/, '"deadline":"9999999999"')],
      [/not verified\. .*INVALID/, (body) => body.replace('"maxSlippageBps":50', '"maxSlippageBps":51')],
    ];
    const verifier = [process.execPath, join(ROOT, "scripts/assay.ts"), "verify"];
    for (const [stopped, lie] of lies) {
      await using lying = await rewriting(newcomer.local.baseUrl, lie);
      const settings = join(newcomer.folder, "lied-to.json");
      await writeFile(settings, JSON.stringify({ ...newcomer.local, baseUrl: lying.url }));
      const args = [PROGRAM, settings, "AAPLx", "250", ...verifier];
      const { code, stdout, stderr } = await failureOf(
        promisify(execFile)("python3", args, { cwd: newcomer.folder }),
      );
      expect(code).to.equal(1);
      expect(stderr)
        .to.match(stopped)
        .and.to.match(/^Stopped: /);
      expect(stdout).to.not.match(/^(approved|signed)/m);
    }
  });

  describe("in TypeScript", function () {
    this.timeout(300_000);
    const first = transcriptOf("docs/first-trade.md").slice(0, 3);
    /** What other programs have installed. */
    const empty = () =>
      runIn(newcomer.folder, "rm", ["-rf", "node_modules", "package.json", "package-lock.json"]);

    it("has ten lines, the same in README.md and docs/first-trade.md, and commands to install and run them", () => {
      const names = first.map(({ kind, name }) => `${kind} ${name}`);
      expect(names).to.deep.equal(["commands install", "file agent.mjs", "commands trade"]);
      const [, agent] = first;
      if (agent?.kind !== "file") throw new Error("there is no file");
      expect(agent.content.trimEnd().split("\n")).to.have.length(10);
      expect(transcriptOf("README.md")).to.deep.equal([agent]);
    });

    it("is confirmed by what docs/first-trade.md says, within two minutes", async function () {
      this.timeout(120_000);
      empty();
      await newcomer.follow(first);
    });

    it("is confirmed and verified by the steps of client/README.md, where nothing is to be paid", async () => {
      empty();
      await newcomer.follow(transcriptOf("client/README.md"));
    });
  });
});
