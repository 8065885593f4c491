/** From a transaction to a verdict: the node tells the event, the service the evidence, and neither is believed. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { id } from "ethers";
import { vkeyText } from "../../attestor/log/note.ts";
import type { FetchFile } from "../../attestor/log/served.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { registryHash } from "../../attestor/registry.ts";
import { canonicalHash, canonicalJson } from "../../attestor/values/canonical.ts";
import type { KnownGuard } from "../../attestor/verify/trust.ts";
import { type Rpc, RpcUnreachable } from "../../chain/jsonRpc.ts";
import { UsageError } from "../../cli/console.ts";
import { type ArtifactSource, connectService, serviceAddress } from "../../cli/verify/publicArtifacts.ts";
import { verifyCommand } from "../../cli/verify/verifyCommand.ts";
import {
  addressFor,
  CHAIN_ID,
  copy,
  facts,
  GUARD,
  judgement,
  REGISTRY,
  reportOn,
  SIGNER,
  signedReading,
  unsignedReferences,
} from "../attestor/fixtures.ts";
import { fakeConsole } from "../support/fakeConsole.ts";
import { type GuardNode, guardNode, REVERTED, transactionOf } from "../support/guardNode.ts";
import { LOG_KEY, logged, served } from "../support/logged.ts";
import { localServer } from "../support/ports.ts";
import { ofSuite } from "../support/suite.ts";
import { expectEnd, NAMED, type NodesTrade, preparedAndExecuted, verifiedWith } from "../support/verified.ts";

const TX = transactionOf(0);

describe("assay verify --tx", () => {
  let document: any;
  let own: NodesTrade;
  let published: Record<string, unknown>;
  let asked: string[];

  before(async () => {
    const executed = await preparedAndExecuted();
    document = { ...executed.document.report, execution: executed.document.execution };
    own = executed.own;
  });
  beforeEach(() => {
    asked = [];
    published = {
      [`evidence/${own.evidenceHash}`]: document,
      [`registry/${registryHash(REGISTRY)}`]: REGISTRY,
    };
  });

  const service: ArtifactSource = async (kind, hash) => {
    asked.push(`${kind}/${hash}`);
    const found = published[`${kind}/${hash}`];
    return found === undefined ? { kind: "missing" } : { kind: "found", text: canonicalJson(found) };
  };
  const verified = (
    node: GuardNode,
    {
      tx = TX,
      flags = NAMED,
      log = served(document, 5),
      ...given
    }: {
      tx?: string;
      flags?: string[];
      known?: KnownGuard[];
      files?: Record<string, string>;
      log?: FetchFile;
    } = {},
    rpc = guardNode(node),
  ) => verifiedWith(["--tx", tx, "--service", "http://service", ...flags], rpc, { ...given, service, log });

  it("assay verify --tx is VALID for who names the guard, with evidence and registry of the service", async () => {
    const { last, text } = expectEnd(await verified({ trades: [own] }), 0);
    // Anybody can hash a registry of their own: the verdict names its source.
    expect(last).to.match(/^VALID: Issued by 0x.* registry 2026-09-21, which only the service vouches for: /);
    expect(text)
      .to.match(/^ok +event +It is the evidence that the guard's event names\.$/m)
      .and.to.match(/^ok +event +Guard, job and trade intent are those of the event\.$/m)
      .and.to.match(/^ok +trade +Executed in 0x/m)
      .and.to.match(/^absent +registry /m);
    expectEnd(await verified({ trades: [own] }, { tx: TX.toUpperCase().replace("0X", "0x") }), 0);
  });

  it("assay verify --tx is VALID for nobody who has a registry, or asks for one, where the service forged it under the same version's name", async () => {
    const feed = id("Equity.US.TSLA/USD");
    const assets = REGISTRY.assets.map((asset) => ({
      ...asset,
      priceSources: asset.priceSources.map((source) =>
        asset.kind === "stock" && "feedId" in source ? { ...source, feedId: feed } : source,
      ),
    }));
    const forged = { ...REGISTRY, assets };
    const references = [signedReading({}, feed), ...unsignedReferences().slice(1)];
    const given = await preparedAndExecuted(
      reportOn(judgement({ registry: forged, facts: facts({ references }) })),
    );
    const { report, execution } = given.document;
    published = {
      [`evidence/${report.evidenceHash}`]: { ...report, execution },
      [`registry/${registryHash(forged)}`]: forged,
    };
    const trades = [given.own];
    const known = { chainId: CHAIN_ID, address: GUARD, record: "deployments/31337.json", keys: [] };
    const conflict = await verified({ trades }, { known: [{ ...known, registry: REGISTRY }] });
    expect(expectEnd(conflict, 2).last)
      .to.match(/^UNVERIFIABLE: The evidence names registry 2026-09-21, 0x.*--registry/)
      .and.include(registryHash(REGISTRY))
      .and.include(registryHash(forged));
    const files = { "r.json": JSON.stringify(REGISTRY) };
    const own = await verified({ trades }, { flags: [...NAMED, "--registry", "r.json"], files });
    expectEnd(own, 1, /^WRONG +registry/m);
    const strict = await verified({ trades }, { flags: [...NAMED, "--strict"] });
    expectEnd(strict, 2, /^unknown +registry .*only the service vouches for/m);
    // Without a registry and `--strict`, the verdict says so.
    expect((await verified({ trades })).last).to.match(/^VALID: .*which only the service vouches for/);
  });

  it("assay verify --tx is VALID by a deployment that this installation knows, and UNVERIFIABLE by none or another chain's", async () => {
    const known = {
      chainId: CHAIN_ID,
      address: GUARD,
      record: "deployments/31337.json",
      keys: [{ address: SIGNER.address, endedAt: null }],
      registry: REGISTRY,
    };
    expect((await verified({ trades: [own] }, { flags: [], known: [known] })).last).to.match(/^VALID: /);
    // Its registry is known, so it is not fetched.
    expect(asked).to.deep.equal([`evidence/${own.evidenceHash}`]);
    const nobody = await verified({ trades: [own] }, { flags: ["--signer", SIGNER.address] });
    expect(expectEnd(nobody, 2).last).to.match(
      /^UNVERIFIABLE: No guard on chain 31337 is known here: .*--guard 31337:0x…/,
    );
    const other = await verified({ trades: [own] }, { flags: ["--guard", `56:${GUARD}`] });
    expect(other.last).to.match(/^UNVERIFIABLE: The RPC serves chain 31337, .* on chain 56/);
  });

  it("assay verify --tx is VALID by a key that was replaced since, as the guard executed this very trade", async () => {
    const keys = [
      { from: 1, address: SIGNER.address },
      { from: 5_000, address: addressFor("the next key") },
    ];
    // The receipt tells it: a node that refuses every search is no obstacle.
    const { last, text } = await verified({ trades: [own], keys });
    expect(last, text).to.match(/^VALID: .*as the guard executed this very trade/);
  });

  it("assay verify --tx is VALID for who has the key of the decision log alone, of the guard that the logged report names and no other", async () => {
    const trusting = { flags: ["--log-key", vkeyText(LOG_KEY)] };
    published[`evidence/${own.evidenceHash}`] = { ...logged(document), execution: document.execution };
    const { last, text } = expectEnd(await verified({ trades: [own] }, trusting), 0);
    expect(last).to.match(/^VALID: Issued by 0x\w{40}, the guard's key by entry 1 of the decision log assay/);
    expect(text).to.match(/^ok +registry .*, by the service, whose log \S+ commits to it in entry 1\.$/m);
    expect(text).to.contain("its tree is part of the one of 5 entries that the service serves");
    const isolated = await verified({ trades: [own] }, { ...trusting, log: served(null, 5) });
    expectEnd(isolated, 1, /^WRONG +log .*no part of the one of 5/m);
    const silent = await verified(
      { trades: [own] },
      { ...trusting, log: () => Promise.reject(new Error("no")) },
    );
    expect(silent.last).to.match(/^UNVERIFIABLE: .*whether the service serves that tree is not known: no\.$/);
    const fake = addressFor("a contract of somebody's");
    const foreign = await verified({ trades: [{ ...own, address: fake }] }, trusting);
    expect(foreign.text, foreign.text).to.match(/^unknown +event .*differ in the guard\.$/m);
    published[`evidence/${own.evidenceHash}`] = document;
    expectEnd(await verified({ trades: [own] }, trusting), 2, /^unknown +log /m);
    expectEnd(await verified({ trades: [] }, trusting), 2);
  });

  it("assay verify --tx is UNVERIFIABLE where the service gives evidence of another trade, guard, job or intent than the node's event", async () => {
    const elsewhere = id("other evidence");
    published[`evidence/${elsewhere}`] = document;
    const swapped = await verified({ trades: [{ ...own, evidenceHash: elsewhere }] });
    expectEnd(swapped, 2, /^unknown +event .*the service gave 0x/m);
    for (const [changes, what] of [
      [{ intentHash: id("another intent") }, "the trade intent"],
      [{ jobId: "job_other" }, "the job"],
    ] as const) {
      const differing = new RegExp(`^unknown +event .*differ in ${what}\\.$`, "m");
      expectEnd(await verified({ trades: [{ ...own, ...changes }] }), 2, differing);
    }
    const second = addressFor("a second guard");
    const flags = ["--guard", `${CHAIN_ID}:${second}`];
    const foreign = await verified({ trades: [{ ...own, address: second }] }, { flags });
    // Of another guard than the reader named.
    expectEnd(foreign, 1, /^unknown +event .*differ in the guard\.$/m);
  });

  it("assay verify --tx is INVALID for evidence that was changed by one digit", async () => {
    const changed = copy(document);
    changed.evidence.quote.amountOutRaw = `${changed.evidence.quote.amountOutRaw}0`;
    published[`evidence/${own.evidenceHash}`] = changed;
    expectEnd(await verified({ trades: [own] }), 1, /^WRONG +evidence hash /m);
  });

  it("assay verify --tx is UNVERIFIABLE without the evidence, and says what to do", async () => {
    published = {};
    const { last } = expectEnd(await verified({ trades: [own] }), 2);
    expect(last).to.match(
      /^UNVERIFIABLE: The service has no public evidence 0x.*not be final yet.*assay verify FILE\.$/,
    );
  });

  it("assay verify --tx is UNVERIFIABLE where the guard traded nothing: unknown, reverted, or another contract's event", async () => {
    const unknown = await verified({ trades: [own] }, { tx: id("nothing") });
    expect(expectEnd(unknown, 2).last).to.contain(
      `UNVERIFIABLE: The RPC knows of no transaction ${id("nothing")} in a block`,
    );
    expect((await verified({}, { tx: REVERTED })).last).to.match(
      /^UNVERIFIABLE: The transaction .* was reverted/,
    );
    const fake = addressFor("a contract of somebody's");
    const { last } = expectEnd(await verified({ trades: [{ ...own, address: fake }] }), 2);
    expect(last).to.contain(`another contract, ${fake}`);
    expect(asked).to.deep.equal([]);
  });

  it("verifies each trade of a transaction, and answers with the worst verdict", async () => {
    const unpublished = { ...own, evidenceHash: id("not published"), sharing: 0 };
    const { last, text } = expectEnd(await verified({ trades: [own, unpublished] }), 2);
    expect(text).to.include(`Trade 1 of 2, evidence ${own.evidenceHash}:`);
    expect(last).to.match(
      /^UNVERIFIABLE: trade 2 of 2, evidence 0x\w{64}: The service has no public evidence/,
    );
    const twice = await verified({ trades: [own, { ...own, sharing: 0 }] });
    expect(twice.last).to.match(/^VALID: all 2 trades of the transaction\. The first: Issued by /);
    const many = Array.from({ length: 17 }, () => ({ ...own, sharing: 0 }));
    expect((await verified({ trades: many })).last).to.match(/^UNVERIFIABLE: .*17 trades, more than 16/);
    const json = await verified({ trades: [own] }, { flags: [...NAMED, "--json"] });
    const { verdict, transactionHash, trades } = JSON.parse(json.text);
    expect({ verdict, transactionHash }).to.deep.equal({ verdict: "VALID", transactionHash: TX });
    expect(trades[0]).to.include({ verdict: "VALID", ofEvent: own.evidenceHash, version: document.version });
  });

  it("takes a policy that this program does not have from the service, if it hashes as the evidence says", async () => {
    const { evidence } = document;
    const definition = { ...copy(policyById(evidence.policy.policyId).definition), version: 77 };
    const hash = canonicalHash(definition);
    const other = copy(document);
    other.evidence.policy = { policyId: definition.policyId, version: 77, definitionHash: hash };
    other.evidenceHash = canonicalHash(other.evidence);
    const trades = [{ ...own, evidenceHash: other.evidenceHash }];
    published[`evidence/${other.evidenceHash}`] = other;
    expect((await verified({ trades })).text).to.match(/^unknown +policy +No known definition/m);
    published[`policies/${hash}`] = { ...definition, version: 78 };
    expect((await verified({ trades })).text).to.match(/^unknown +policy +No known definition/m);
    published[`policies/${hash}`] = definition;
    expect((await verified({ trades })).text).to.match(/^ok +policy +\w+ version 77/m);
  });

  it("assay verify --tx is UNVERIFIABLE, and names the contradiction, by a node whose receipt is in no block of the chain", async () => {
    const node = guardNode({ trades: [own, { ...own, evidenceHash: id("another's") }] });
    const doctored = (method: string, change: (answer: any, params: any[]) => unknown): Rpc => {
      return async (asked, params) => {
        const answer: any = await node(asked, params);
        return asked === method && answer !== null ? change(copy(answer), params) : answer;
      };
    };
    const received = (log: any) => ({ ...log, data: `${log.data.slice(0, -1)}1` });
    for (const [rpc, contradiction] of [
      [
        doctored("eth_getTransactionReceipt", (receipt) => ({
          ...receipt,
          logs: receipt.logs.map(received),
        })),
        /does not stand under the receipts root of its block 4201/,
      ],
      [
        doctored("eth_getTransactionReceipt", (receipt) => ({ ...receipt, blockNumber: "0x1068" })),
        /another transaction's receipt|is number 4201 by its header, 4200 by the receipt/,
      ],
      [
        doctored("eth_getBlockByNumber", (block) => ({ ...block, hash: id("another branch") })),
        new RegExp(`the block of its number is ${id("another branch")}`),
      ],
      [
        doctored("eth_getBlockByHash", (block) => ({ ...block, receiptsRoot: id("a root") })),
        /does not hash to/,
      ],
      [doctored("eth_getBlockByHash", () => null), /whose header is not there/],
      [doctored("eth_getBlockByHash", (block) => ({ ...block, transactions: [] })), /does not list it/],
      [doctored("eth_getBlockReceipts", (all) => all.slice(1)), /has 2 transactions, 1 receipts/],
    ] as const) {
      const { last } = expectEnd(await verified({}, {}, rpc), 2);
      expect(last)
        .to.match(/^UNVERIFIABLE: The RPC contradicts itself: /)
        .and.match(contradiction);
    }
    for (const garbage of ["<html>", 7, { logs: [] }]) {
      const senseless = doctored("eth_getTransactionReceipt", () => garbage);
      const { last } = await verified({}, {}, senseless);
      expect(last).to.match(/^UNVERIFIABLE: The RPC returned an invalid response/);
    }
  });

  it("says of a node that is away that it cannot be reached", async () => {
    const away = () => Promise.reject(new RpcUnreachable("no connection"));
    expect(expectEnd(await verified({}, {}, away), 2).last).to.equal(
      "UNVERIFIABLE: The RPC cannot be reached: no connection.",
    );
  });

  it("refuses arguments that make no sense", async () => {
    for (const [args, words] of [
      [["--tx", TX], "--tx needs --rpc and --service"],
      [["--tx", "0x1", "--rpc", "http://n", "--service", "http://s"], "--tx must be 0x"],
      [["--tx", TX, "file", "--rpc", "http://n", "--service", "http://s"], ", not both"],
      [["file", "--service", "ftp://s"], "--service must be an http or https URL"],
      [["--tx", TX, "--rpc", "http://n", "--service", "ftp://s"], "--service must be an http or https URL"],
      [["--tx", TX, "--rpc", "http://n", "--service", "http://a:b@s"], "without a password"],
    ] as const) {
      const error = await verifyCommand([...args], fakeConsole().world).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(UsageError);
      expect((error as Error).message).to.include(words);
    }
  });
});

describe("what a service publishes", () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = ofSuite(() => localServer((request, response) => answer(request, response)));
  const ask = (timeoutMs?: number) => connectService(server.url, timeoutMs)("evidence", "0xab");
  const redirect = (location: string) => (_: unknown, response: ServerResponse) =>
    void response.writeHead(302, { location }).end();

  it("what a service publishes is asked for by kind and hash, also behind a path and a redirect on the same host", async () => {
    answer = ({ url }, response) =>
      url === "/a/evidence/0xab" ? redirect("/moved")(null, response) : response.end(`{"at":"${url}"}`);
    expect(serviceAddress(`${server.url}/a//?x#y`)).to.equal(`${server.url}/a`);
    const found = await connectService(`${server.url}/a`)("evidence", "0xab");
    expect(found).to.deep.equal({ kind: "found", text: '{"at":"/moved"}' });
  });

  it("what a service publishes is missing at 404, and of no use with any other status", async () => {
    answer = (_, response) => void response.writeHead(404).end("{}");
    expect(await ask()).to.deep.equal({ kind: "missing" });
    for (const [status, why] of [
      [429, /too many requests/],
      [500, /status 500/],
      [204, /status 204/],
    ] as const) {
      answer = (_, response) => void response.writeHead(status).end();
      expect(((await ask()) as { why: string }).why).to.match(why);
    }
  });

  it("what a service publishes is not fetched from another host, without end, beyond 4 MiB, after its time, or as something else than text", async () => {
    let elsewhere = 0;
    const other = await localServer((_, response) => {
      elsewhere++;
      response.end("{}");
    });
    const failure = async (given: typeof answer, timeoutMs?: number) => {
      answer = given;
      return ((await ask(timeoutMs)) as { why: string }).why;
    };
    expect(await failure(redirect(`${other.url}/`))).to.include("another host");
    expect(await failure(redirect("file:///etc/passwd"))).to.include("another host");
    expect(elsewhere).to.equal(0);
    expect(await failure(redirect("/again"))).to.include("without end");
    const tooLong = Buffer.alloc(4 * 1024 * 1024 + 1, 32);
    expect(await failure((_, response) => void response.end(tooLong))).to.include("4 MiB");
    const late = await failure((_, response) => void response.write("{"), 100);
    expect(late).to.include("no answer within 0.1 s");
    expect(await failure((_, response) => void response.end(Buffer.from([0xff, 0xfe])))).to.include("UTF-8");
    await other.close();
  });
});
