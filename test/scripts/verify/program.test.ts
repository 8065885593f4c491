/** The real program: its help, what it refuses, and a node over HTTP. */
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { hashIntent } from "../../../attestor/certificate/certificate.ts";
import { CHAIN_ID, GUARD, prepared, soundReport } from "../../attestor/fixtures.ts";
import { guardNode } from "../../support/guardNode.ts";
import { freePort, localServer } from "../../support/ports.ts";
import { assay, type Ran, realAssay } from "../../support/programs.ts";
import { ofSuite } from "../../support/suite.ts";

const NAMED = ["--guard", `${CHAIN_ID}:${GUARD}`];
const firstOf = ({ out }: Ran) => out.split("\n", 1)[0] ?? "";
const verdictOf = (ran: Ran) => /^[A-Z]+/.exec(firstOf(ran))?.[0];

describe("assay", () => {
  it("verify does not wait for the end of what is too long", async () => {
    // Never ended: a reader without a limit would wait until it is killed.
    const ran = await realAssay(["verify", "-"], null, (child) => {
      child.stdin?.write("x".repeat(5 * 1024 * 1024));
    });
    expect([ran.code, verdictOf(ran)]).to.deep.equal([2, "UNVERIFIABLE"]);
    expect(ran.out).to.contain("more than 4194304 bytes");
  });

  it("shows its help and its version", async () => {
    const help = await realAssay(["help"]);
    expect(help.code).to.equal(0);
    expect(help.out)
      .to.match(/^ {2}verify /m)
      .and.match(/^ {2}keystore /m)
      .and.match(/^ {2}3 {2}a transaction was sent/m);
    expect((await assay(["--help"])).out).to.equal(help.out);
    expect((await assay(["help", "verify"])).out).to.contain("--rpc <URL>");
    expect((await assay(["verify", "--help"])).out).to.contain("--rpc <URL>");
    expect(await assay(["--version"])).to.include({ code: 0, out: "0.2.0\n" });
  });

  it("leaves with 2 for nothing to do or something unknown", async () => {
    expect((await assay([])).err).to.contain("Usage: assay <command>");
    for (const args of [["frobnicate"], ["__proto__"], ["toString"]]) {
      const ran = await assay(args);
      expect([ran.code, ran.out]).to.deep.equal([2, ""]);
      expect(ran.err).to.match(/^assay: there is no such command, only verify, .*\nSee assay --help\.\n$/);
    }
  });
});

describe("assay verify --rpc", () => {
  describe("with the real program", () => {
    let mode: "chain" | "html" | "silent" = "chain";
    let input: string;
    const server = ofSuite(async () => {
      const document = await prepared(soundReport());
      input = JSON.stringify(document);
      const intentHash = hashIntent(document.execution.tradeIntent.message);
      const trade = { block: 4_201, evidenceHash: document.report.evidenceHash, intentHash };
      const node = guardNode({ trades: [trade] });
      return localServer(async (request, response) => {
        const body = await text(request);
        if (mode === "silent") return void request.socket.destroy();
        if (mode === "html") return void response.end("<html>");
        const { id: number, method, params } = JSON.parse(body);
        const answer = await node(method, params).then(
          (result) => ({ result }),
          ({ message }: Error) => ({ error: { code: -32000, message } }),
        );
        response.end(JSON.stringify({ jsonrpc: "2.0", id: number, ...answer }));
      });
    });
    const url = () => `${server.url}/secret-key`;

    const run = (address: string) => realAssay(["verify", "-", ...NAMED, "--rpc", address], input);

    it("asks the node over HTTP when the real program runs with --rpc", async () => {
      mode = "chain";
      const ran = await run(url());
      expect([ran.code, verdictOf(ran), ran.err]).to.deep.equal([0, "VALID", ""]);
      expect(firstOf(ran)).to.match(/^VALID, EXECUTED\. /);
      expect(ran.out).to.match(/^ {2}Executed .*in block 4201/m);
    });

    it("is UNVERIFIABLE, with a clear line and without the address, when the node cannot be reached", async () => {
      const closed = await freePort();
      for (const [kind, address, words] of [
        ["html", url(), "something other than JSON-RPC"],
        ["silent", url(), "cannot be reached"],
        ["chain", `http://127.0.0.1:${closed}/secret-key`, "cannot be reached: ECONNREFUSED"],
      ] as const) {
        mode = kind;
        const ran = await run(address);
        expect([ran.code, verdictOf(ran), ran.err], kind).to.deep.equal([2, "UNVERIFIABLE", ""]);
        expect(ran.out).to.contain(words).and.not.contain("secret-key");
      }
    });
  });
});
