import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { id } from "ethers";
import { encodeAbiParameters, encodeFunctionData, parseAbi, toEventSelector } from "viem";
import { attest } from "../../attestor/attest.ts";
import { canonicalHash } from "../../attestor/canonical.ts";
import { hashIntent, jobIdHash } from "../../attestor/certificate.ts";
import { parsePolicies, policyById } from "../../attestor/policy.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import { type Rpc, RpcRefused, RpcUnreachable } from "../../chain/jsonRpc.ts";
import { PlainError, type World } from "../../cli/console.ts";
import { verifyCommand } from "../../cli/verify.ts";
import {
  addressFor,
  CHAIN_ID,
  GUARD,
  judgement,
  OWNER,
  prepared,
  REGISTRY,
  SIGNER,
  soundReport,
} from "../attestor/fixtures.ts";

const PROGRAM = new URL("../../cli/assay.ts", import.meta.url).pathname;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the real program, for ten seconds at most. @param input null leaves standard input open */
function assay(
  args: string[],
  input: string | null = "",
  onSpawn: (child: ChildProcess) => void = () => {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { timeout: 10_000, killSignal: "SIGKILL" });
    let [out, err] = ["", ""];
    child.stdout.on("data", (data) => {
      out += data;
    });
    child.stderr.on("data", (data) => {
      err += data;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
    child.stdin.on("error", () => {});
    onSpawn(child);
    if (input !== null) child.stdin.end(input);
  });
}

/** A port that nothing listens on. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

const verdictOf = ({ out }: Ran) => out.trimEnd().split("\n").at(-1);
const copy = <T>(value: T): any => JSON.parse(JSON.stringify(value));

describe("assay verify", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "assay-verify-"));
  });
  after(() => rm(folder, { recursive: true }));

  async function saved(value: unknown, name = "report.json"): Promise<string> {
    const path = join(folder, name);
    await writeFile(
      path,
      typeof value === "string" || value instanceof Uint8Array ? value : JSON.stringify(value),
    );
    return path;
  }

  it("says VALID and leaves with 0 for a sound report, a line a step and the verdict on its own", async () => {
    const ran = await assay(["verify", await saved(await prepared(soundReport()))]);
    expect(ran).to.include({ code: 0, err: "" });
    const lines = ran.out.trimEnd().split("\n");
    expect(lines.at(-1)).to.equal("VALID");
    for (const line of lines.slice(0, -1)) expect(line).to.match(/^(ok|absent) +[a-z][a-z ]+ {2}[A-Z].*\.$/);
    expect(lines.length).to.be.greaterThan(8);
  });

  it("reads standard input for -", async () => {
    const ran = await assay(["verify", "-"], JSON.stringify(soundReport()));
    expect([ran.code, verdictOf(ran)]).to.deep.equal([0, "VALID"]);
  });

  it("says INVALID and leaves with 1 when one byte of the evidence is changed", async () => {
    const text = JSON.stringify(soundReport()).replace('"halted":false', '"halted":true');
    const ran = await assay(["verify", await saved(text)]);
    expect([ran.code, verdictOf(ran), ran.err]).to.deep.equal([1, "INVALID", ""]);
    expect(ran.out).to.match(/^WRONG +evidence hash/m);
  });

  it("says UNVERIFIABLE and leaves with 2 for what is no report, and never shows a stack", async () => {
    const odd: [string, unknown][] = [
      ["empty", ""],
      ["no JSON", "<html>not found</html>"],
      ["another document", { status: 404, title: "Not Found" }],
      ["half a report", JSON.stringify(soundReport()).slice(0, 900)],
      ["bytes", new Uint8Array([0xff, 0xfe, 0x00, 0xd8, 0x80])],
      ["deep", "[".repeat(500_000)],
      ["deep and closed", `${"[".repeat(500_000)}${"]".repeat(500_000)}`],
      ["deep members", `{"evidence":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)},"evidenceHash":"0x"}`],
      ["a member twice", JSON.stringify(soundReport()).replace("{", '{"decision":"DENY",')],
      ["huge", `"${"x".repeat(5 * 1024 * 1024)}"`],
    ];
    for (const [name, content] of odd) {
      const ran = await assay(["verify", await saved(content)]);
      expect([ran.code, verdictOf(ran), ran.err], name).to.deep.equal([2, "UNVERIFIABLE", ""]);
      expect(ran.out, name)
        .to.match(/^unknown +document/)
        .and.not.match(/\n\s+at /);
    }
  }).timeout(120_000);

  it("does not guess at what bytes that are no text could mean", async () => {
    const text = Buffer.from(JSON.stringify({ ...soundReport(), note: "?" }));
    text[text.lastIndexOf("?")] = 0xff;
    const ran = await assay(["verify", await saved(text)]);
    expect([ran.code, verdictOf(ran)]).to.deep.equal([2, "UNVERIFIABLE"]);
    expect(ran.out).to.contain("it is no UTF-8 text");
  });

  it("does not wait for the end of what is too long", async () => {
    // Never ended: a reader without a limit would wait until it is killed.
    const ran = await assay(["verify", "-"], null, (child) => {
      child.stdin?.write("x".repeat(5 * 1024 * 1024));
    });
    expect([ran.code, verdictOf(ran)]).to.deep.equal([2, "UNVERIFIABLE"]);
    expect(ran.out).to.contain("more than 4194304 bytes");
  });

  it("says what is wrong with the file", async () => {
    const missing = await assay(["verify", join(folder, "missing.json")]);
    expect([missing.code, verdictOf(missing)]).to.deep.equal([2, "UNVERIFIABLE"]);
    expect(missing.out).to.contain("there is no such file");
    expect((await assay(["verify", folder])).out).to.contain("it is a folder");
  });

  it("does not let a document talk to the terminal", async () => {
    const report = { ...soundReport(), evidenceHash: "\u001b[2J\u001b]0;owned\u0007\u202e\nVALID" };
    const ran = await assay(["verify", await saved(report)]);
    expect([ran.code, verdictOf(ran)]).to.deep.equal([1, "INVALID"]);
    for (const character of ["\u001b", "\u0007", "\u202e"]) expect(ran.out).to.not.contain(character);
    expect(ran.out.match(/^VALID$/m)).to.equal(null);
  });

  it("prints JSON when asked", async () => {
    const report = soundReport();
    const ran = await assay(["verify", "--json", await saved(report)]);
    const { steps, ...rest } = JSON.parse(ran.out);
    expect(rest).to.deep.equal({
      verdict: "VALID",
      jobId: "job_9f2c",
      version: 2,
      decision: "ALLOW",
      evidenceHash: report.evidenceHash,
    });
    expect(steps[0]).to.deep.include({ name: "evidence hash", outcome: "ok" });
    const none = await assay(["verify", "--json", "-"], "nothing");
    expect(JSON.parse(none.out)).to.deep.include({ verdict: "UNVERIFIABLE", evidenceHash: null });
    expect(none.code).to.equal(2);
  });

  it("holds the certificate against the key that the reader trusts", async () => {
    const path = await saved(await prepared(soundReport()));
    const trusting = await assay(["verify", path, "--signer", SIGNER.address.toLowerCase()]);
    expect([trusting.code, verdictOf(trusting)]).to.deep.equal([0, "VALID"]);
    const other = await assay(["verify", path, "--signer", addressFor("mine")]);
    expect([other.code, verdictOf(other)]).to.deep.equal([1, "INVALID"]);
    const unsigned = await assay(["verify", await saved(soundReport()), "--signer", SIGNER.address]);
    expect([unsigned.code, verdictOf(unsigned)]).to.deep.equal([2, "UNVERIFIABLE"]);
  });

  it("takes a registry, from a deployment file too", async () => {
    const path = await saved(soundReport());
    for (const [registry, verdict] of [
      [REGISTRY, "VALID"],
      [{ chainId: CHAIN_ID, registry: REGISTRY }, "VALID"],
      [{ ...REGISTRY, version: "another" }, "INVALID"],
    ] as const) {
      const ran = await assay(["verify", path, "--registry", await saved(registry, "registry.json")]);
      expect(verdictOf(ran)).to.equal(verdict);
    }
  });

  it("takes more policies", async () => {
    const definition = { ...copy(policyById("STRICT_LIVE").definition), version: 9 };
    const path = await saved(attest(judgement({ policy: parsePolicies([definition])[0]! })));
    expect(verdictOf(await assay(["verify", path]))).to.equal("UNVERIFIABLE");
    const policies = await saved({ policies: [{ definition }] }, "policies.json");
    expect(verdictOf(await assay(["verify", path, "--policies", policies]))).to.equal("VALID");
  });

  it("shows the help and leaves with 2 for arguments that make no sense", async () => {
    const odd = [
      ["verify"],
      ["verify", "a.json", "b.json"],
      ["verify", "a.json", "--frobnicate"],
      ["verify", "a.json", "--rpc"],
      ["verify", "a.json", "--rpc", "localhost:8545"],
      ["verify", "a.json", "--rpc", "file:///etc/passwd"],
      ["verify", "a.json", "--signer", "0x12"],
      ["verify", "a.json", "--signer", ""],
    ];
    for (const args of odd) {
      const ran = await assay(args);
      expect(ran.code, args.join(" ")).to.equal(2);
      expect(ran.err, args.join(" "))
        .to.match(/^assay: .+\n\nassay verify <report/)
        .and.not.match(/\n\s+at /);
      expect(ran.out).to.equal("");
    }
  }).timeout(120_000);

  it("says what is wrong with a registry or policies file", async () => {
    const report = await saved(soundReport());
    const broken = await saved("{", "broken.json");
    const empty = await saved({}, "empty.json");
    for (const option of ["--registry", "--policies"])
      for (const file of [broken, empty, join(folder, "missing.json")]) {
        const ran = await assay(["verify", report, option, file]);
        expect([ran.code, ran.out], `${option} ${file}`).to.deep.equal([2, ""]);
        expect(ran.err)
          .to.match(/^assay: \/.+json/)
          .and.not.match(/\n\s+at /);
      }
  }).timeout(120_000);
});

describe("assay", () => {
  it("shows its help and its version", async () => {
    const help = await assay(["help"]);
    expect(help.code).to.equal(0);
    expect(help.out).to.contain("assay verify").and.contain("assay keystore");
    expect((await assay(["--help"])).out).to.equal(help.out);
    expect((await assay(["help", "verify"])).out).to.contain("--rpc URL");
    expect((await assay(["verify", "--help"])).out).to.contain("--rpc URL");
    expect(await assay(["--version"])).to.include({ code: 0, out: "0.1.0\n" });
  });

  it("leaves with 2 for nothing to do or something unknown", async () => {
    for (const args of [[], ["frobnicate"], ["__proto__"], ["toString"]]) {
      const ran = await assay(args);
      expect([ran.code, ran.out]).to.deep.equal([2, ""]);
      expect(ran.err).to.contain("assay verify");
    }
  });
});

/** A chain as far as the verifier looks at one; `trades` are events of the guard. */
interface FakeChain {
  chainId?: number;
  signer?: string;
  previousSigner?: string;
  head?: number;
  /** More blocks than this in one search are refused. */
  span?: number;
  trades?: {
    block: number;
    jobId?: string;
    evidenceHash: string;
    intentHash?: string;
    version?: number;
    relayed?: boolean;
    address?: string;
  }[];
  guardMissing?: boolean;
}

const EVENT = toEventSelector("TradeExecuted(bytes32,address,bytes32,bytes32,uint256,uint256)");
const ABI = parseAbi([
  "struct TradeIntent { address owner; address recipient; address inputToken; address outputToken; uint256 amountIn; uint256 minAmountOut; address route; bytes4 selector; bytes32 callDataHash; uint256 nonce; uint256 deadline; }",
  "struct VerificationCertificate { bytes32 intentHash; bytes32 evidenceHash; bytes32 policyHash; bytes32 jobId; uint64 reportVersion; uint64 issuedAt; uint64 expiresAt; }",
  "function execute(TradeIntent intent, VerificationCertificate certificate, bytes certificateSignature, bytes routeCallData) returns (uint256 amountOut)",
  "function executeFor(TradeIntent intent, VerificationCertificate certificate, bytes certificateSignature, bytes ownerSignature, bytes routeCallData) returns (uint256 amountOut)",
]);
const asViem = (value: unknown): any => value;
const hexNumber = (value: number) => `0x${value.toString(16)}`;
const word = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;

function fakeChain(chain: FakeChain, asked: string[] = []): Rpc {
  const {
    chainId = CHAIN_ID,
    signer = SIGNER.address,
    previousSigner,
    head = 9_000,
    span = 1e9,
    trades = [],
  } = chain;
  const views: Record<string, string> = {
    [id("signer()").slice(0, 10)]: word(signer),
    [id("previousSigner()").slice(0, 10)]: word(previousSigner ?? `0x${"00".repeat(20)}`),
  };
  return async (method, params: any[]) => {
    asked.push(method);
    switch (method) {
      case "eth_chainId":
        return hexNumber(chainId);
      case "eth_blockNumber":
        return hexNumber(head);
      case "eth_call":
        return params[0].to === GUARD && !chain.guardMissing ? views[params[0].data] : "0x";
      case "eth_getLogs": {
        const [{ fromBlock, toBlock }] = params;
        const [from, to] = [Number(fromBlock), toBlock === "latest" ? head : Number(toBlock)];
        if (to - from + 1 > span) throw new RpcRefused("block range is too large");
        // Everything in range, filtered or not: the verifier must not lean on the filter.
        return trades
          .filter(({ block }) => block >= from && block <= to)
          .map((trade) => ({
            address: (trade.address ?? GUARD).toLowerCase(),
            topics: [EVENT, jobIdHash(trade.jobId ?? "job_9f2c"), word(OWNER), trade.evidenceHash],
            data: encodeAbiParameters(
              [{ type: "bytes32" }, { type: "uint256" }, { type: "uint256" }],
              [asViem(trade.intentHash ?? id("intent")), 999_000_000n, 3_980_000_000_000_000_000n],
            ),
            blockNumber: hexNumber(trade.block),
            transactionHash: id(`transaction ${trades.indexOf(trade)}`),
          }));
      }
      case "eth_getTransactionByHash": {
        const trade = trades.find((_, index) => id(`transaction ${index}`) === params[0]);
        if (trade?.version === undefined) return { input: "0xdeadbeef" };
        const { execution } = await prepared(soundReport());
        const certificate = {
          ...execution.certificate.message,
          evidenceHash: trade.evidenceHash,
          reportVersion: String(trade.version),
        };
        const args = [execution.tradeIntent.message, certificate, "0x11", "0x22"];
        return {
          input: trade.relayed
            ? encodeFunctionData({ abi: ABI, functionName: "executeFor", args: asViem([...args, "0x33"]) })
            : encodeFunctionData({ abi: ABI, functionName: "execute", args: asViem(args) }),
        };
      }
      default:
        throw new RpcRefused(`no method ${method}`);
    }
  };
}

describe("assay verify --rpc", () => {
  const lines: string[] = [];
  const worldOf = (document: unknown): World => ({
    out: (line) => void lines.push(line),
    err: () => {},
    readText: async () => JSON.stringify(document),
    exists: async () => false,
    writeSecret: async () => {
      throw new PlainError("not here");
    },
    ask: async () => "",
  });

  async function verified(document: unknown, rpc: Rpc) {
    lines.length = 0;
    const code = await verifyCommand(["-", "--rpc", "http://node"], worldOf(document), () => rpc);
    return { code, verdict: lines.at(-1), text: lines.join("\n") };
  }

  const report = copy(soundReport()) as Report;
  const own = { block: 4_201, evidenceHash: report.evidenceHash };

  it("finds the trade of the job and tells its transaction and amounts", async () => {
    const { code, text } = await verified(report, fakeChain({ trades: [own] }));
    expect(code).to.equal(0);
    expect(text).to.match(
      /^ok +trade +Executed in 0x[0-9a-f]{64}, block 4201: 999000000 spent, 3980000000000000000 received/m,
    );
    expect(text).to.match(/^ok +guard +The guard's signer is 0x/m);
  });

  it("holds the trade intent of the document against the event's", async () => {
    const document = copy(await prepared(soundReport()));
    const intentHash = hashIntent(document.execution.tradeIntent.message);
    const right = await verified(document, fakeChain({ trades: [{ ...own, intentHash }] }));
    expect([right.code, right.verdict]).to.deep.equal([0, "VALID"]);
    expect(right.text).to.contain("this evidence and this trade intent");
    const wrong = await verified(document, fakeChain({ trades: [own] }));
    expect([wrong.code, wrong.verdict]).to.deep.equal([1, "INVALID"]);
  });

  it("says that a report was not executed, which is no fault", async () => {
    const others = [
      { ...own, jobId: "job_other" },
      { ...own, address: addressFor("another guard") },
      { ...own, block: 4_199 },
    ];
    for (const trades of [[], others]) {
      const { code, text } = await verified(report, fakeChain({ trades }));
      expect(code).to.equal(0);
      expect(text).to.match(/^absent +trade +The guard shows no trade of this job since block 4200/m);
    }
  });

  it("finds out a report that was changed and hashed again, by the version in the transaction", async () => {
    const evidence = copy(report.evidence);
    evidence.liquidity.sampleN = 41;
    const forged = {
      ...copy(evaluate(policyById("STRICT_LIVE"), evidence)),
      evidenceHash: canonicalHash(evidence),
    };
    expect((await verified(forged, fakeChain({}))).verdict).to.equal("VALID");
    for (const relayed of [false, true]) {
      const { code, text } = await verified(forged, fakeChain({ trades: [{ ...own, version: 2, relayed }] }));
      expect(code).to.equal(1);
      expect(text).to.match(/^WRONG +trade/m);
    }
  });

  it("does not blame a report for the trade of another version of it", async () => {
    const trades = [{ ...own, evidenceHash: id("version 3"), version: 3 }];
    const { code, text } = await verified(report, fakeChain({ trades }));
    expect(code).to.equal(0);
    expect(text).to.match(/^absent +trade .*That was version 3 of the report; this is version 2\./m);
    const both = await verified(report, fakeChain({ trades: [...trades, own] }));
    expect(both.text).to.match(/^ok +trade/m);
  });

  it("is UNVERIFIABLE where the transaction does not say which version was executed", async () => {
    const trades = [{ ...own, evidenceHash: id("who knows") }];
    expect(await verified(report, fakeChain({ trades }))).to.include({ code: 2, verdict: "UNVERIFIABLE" });
  });

  it("says whose key the guard takes now", async () => {
    const rotated = { signer: addressFor("new"), previousSigner: SIGNER.address };
    expect((await verified(report, fakeChain(rotated))).text).to.match(/^ok +guard .*its previous one/m);
    const longAgo = await verified(
      report,
      fakeChain({ signer: addressFor("newest"), previousSigner: addressFor("new") }),
    );
    expect(longAgo.text).to.match(/^absent +guard .*neither it nor the previous one/m);
    expect(longAgo.verdict).to.equal("VALID");
  });

  it("is UNVERIFIABLE on another chain, or where there is no guard", async () => {
    const other = await verified(report, fakeChain({ chainId: 56, trades: [own] }));
    expect(other).to.include({ code: 2, verdict: "UNVERIFIABLE" });
    expect(other.text).to.contain("serves chain 56, the report is about chain 31337");
    expect(other.text).to.not.contain("Executed in");
    expect(await verified(report, fakeChain({ guardMissing: true }))).to.include({ code: 2 });
  });

  it("searches in spans where the node limits them", async () => {
    for (const span of [2_000, 700, 60]) {
      const late = { ...own, block: 6_000 };
      const { code, text } = await verified(report, fakeChain({ span, trades: [late] }));
      expect([code, text.includes("block 6000")], String(span)).to.deep.equal([0, true]);
    }
    const asked: string[] = [];
    const far = await verified(report, fakeChain({ span: 2_000, head: 9_000_000 }, asked));
    expect(far.text).to.contain("no trade of this job from block 4200 to 204199");
    expect(asked.length).to.be.lessThan(120);
    expect(await verified(report, fakeChain({ span: 10 }))).to.include({ code: 2 });
  });

  it("does not ask the chain about what is no report", async () => {
    const asked: string[] = [];
    expect((await verified({ a: 1 }, fakeChain({}, asked))).code).to.equal(2);
    expect(asked).to.deep.equal([]);
  });

  it("stays INVALID, and tells why, when the node fails on top", async () => {
    const unreachable: Rpc = async () => {
      throw new RpcUnreachable("ECONNREFUSED");
    };
    expect(await verified(report, unreachable)).to.include({ code: 2, verdict: "UNVERIFIABLE" });
    expect(await verified({ ...report, decision: "DENY" }, unreachable)).to.include({
      code: 1,
      verdict: "INVALID",
    });
  });

  it("is UNVERIFIABLE for a node that answers nonsense", async () => {
    for (const nonsense of [undefined, null, 7, "0x", "0xzz", {}, [{}], [{ topics: 1 }]])
      for (const method of ["eth_chainId", "eth_call", "eth_getLogs"]) {
        if (method === "eth_call" && nonsense === "0x") continue;
        const node = fakeChain({});
        const rpc: Rpc = async (asked, params) => (asked === method ? nonsense : node(asked, params));
        const { code, text } = await verified(report, rpc);
        expect([code, /^unknown +rpc/m.test(text)], `${method} ${nonsense}`).to.deep.equal([2, true]);
      }
  });

  describe("with the real program", () => {
    let server: Server;
    let mode: "chain" | "html" | "silent" = "chain";
    let url: string;
    before((done) => {
      const node = fakeChain({ trades: [own] });
      server = createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        if (mode === "silent") return void request.socket.destroy();
        if (mode === "html") return void response.end("<html>");
        const { id: number, method, params } = JSON.parse(body);
        response.end(JSON.stringify({ jsonrpc: "2.0", id: number, result: await node(method, params) }));
      });
      server.listen(0, "127.0.0.1", () => {
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`;
        done();
      });
    });
    after((done) => {
      server.close(done);
      server.closeAllConnections();
    });

    const run = (address: string) => assay(["verify", "-", "--rpc", address], JSON.stringify(report));

    it("asks the node over HTTP", async () => {
      mode = "chain";
      const ran = await run(url);
      expect([ran.code, verdictOf(ran), ran.err]).to.deep.equal([0, "VALID", ""]);
      expect(ran.out).to.contain("block 4201");
    });

    it("is UNVERIFIABLE, with a clear line and without the address, when the node cannot be reached", async () => {
      const closed = await freePort();
      for (const [kind, address, words] of [
        ["html", url, "something else than JSON-RPC"],
        ["silent", url, "cannot be reached"],
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
