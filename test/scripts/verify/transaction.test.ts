import { expect } from "chai";
import { id } from "ethers";
import { vkeyText } from "../../../attestor/log/note.ts";
import { type Policy, parsePolicies, policyById } from "../../../attestor/policies/policy.ts";
import { registryHash } from "../../../attestor/registry.ts";
import { canonicalHash, canonicalJson } from "../../../attestor/values/canonical.ts";
import { type Rpc, RpcUnreachable } from "../../../chain/jsonRpc.ts";
import type { ArtifactSource } from "../../../scripts/verify/artifacts.ts";
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
} from "../../attestor/fixtures.ts";
import { type GuardNode, guardNode, REVERTED, transactionOf } from "../../support/guardNode.ts";
import { LOG_KEY, logged, served } from "../../support/logged.ts";
import {
  expectEnd,
  NAMED,
  type NodesTrade,
  preparedAndExecuted,
  verifiedWith,
} from "../../support/verified.ts";

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
    }: Omit<NonNullable<Parameters<typeof verifiedWith>[2]>, "service"> & {
      tx?: string;
      flags?: string[];
    } = {},
    rpc = guardNode(node),
  ) => verifiedWith(["--tx", tx, "--service", "http://service", ...flags], rpc, { ...given, service, log });

  it("is VALID for who names the guard, with evidence and registry of the service", async () => {
    const { conclusion, executed, codes } = expectEnd(await verified({ trades: [own] }), 0);
    expect(conclusion).to.match(/^VALID, EXECUTED\. /);
    expect(executed).to.include({ transactionHash: TX });
    // Anybody can hash a registry of their own: its source is named.
    expect(codes).to.include("registry registry_of_service");
    expectEnd(await verified({ trades: [own] }, { tx: TX.toUpperCase().replace("0X", "0x") }), 0);
    const strict = await verified({ trades: [own] }, { flags: [...NAMED, "--strict"] });
    expectEnd(strict, 2, "registry registry_of_service");
  });

  it("finds a registry that the service forged under the same version's name, for who has one", async () => {
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
    expectEnd(conflict, 2, "registry registry_not_of_record");
    expect(conflict.paramsOf("registry_not_of_record")).to.include({
      hash: registryHash(forged),
      recordHash: registryHash(REGISTRY),
    });
    const files = { "r.json": JSON.stringify(REGISTRY) };
    const own = await verified({ trades }, { flags: [...NAMED, "--registry", "r.json"], files });
    expectEnd(own, 1, "registry registry_other");
    expectEnd(await verified({ trades }), 0, "registry registry_of_service");
  });

  it("is VALID by a deployment that this installation knows, and UNVERIFIABLE by none or another chain's", async () => {
    const known = {
      chainId: CHAIN_ID,
      address: GUARD,
      record: "deployments/31337.json",
      keys: [{ address: SIGNER.address, endedAt: null }],
      registry: REGISTRY,
    };
    expectEnd(await verified({ trades: [own] }, { flags: [], known: [known] }), 0);
    // Its registry is known, so it is not fetched.
    expect(asked).to.deep.equal([`evidence/${own.evidenceHash}`]);
    const nobody = await verified({ trades: [own] }, { flags: ["--signer", SIGNER.address] });
    expectEnd(nobody, 2, "document nothing_to_verify");
    expect(nobody.conclusion).to.match(/No guard on chain 31337 is known here: .*--guard 31337:0x…/);
    const other = await verified({ trades: [own] }, { flags: ["--guard", `56:${GUARD}`] });
    expect(expectEnd(other, 2).conclusion).to.match(/The node serves chain 31337, .* on chain 56/);
  });

  it("is VALID by a key that was replaced since, as the guard executed this very trade", async () => {
    const keys = [
      { from: 1, address: SIGNER.address },
      { from: 5_000, address: addressFor("the next key") },
    ];
    // The receipt tells it: a node that refuses every search is no obstacle.
    const { issuedBy } = expectEnd(await verified({ trades: [own], keys }), 0);
    expect(issuedBy).to.equal("issued_by_guards_key_executed");
  });

  it("is VALID for who has the key of the decision log alone, of the guard that the logged report names and no other", async () => {
    const trusting = { flags: ["--log-key", vkeyText(LOG_KEY)] };
    published[`evidence/${own.evidenceHash}`] = { ...logged(document), execution: document.execution };
    const { issuedBy, logged: place, codes } = expectEnd(await verified({ trades: [own] }, trusting), 0);
    expect(issuedBy).to.equal("issued_by_logged_key_today");
    expect(place).to.deep.equal({ origin: LOG_KEY.name, index: 1 });
    // The service serves the tree, and the log commits to the registry.
    expect(codes).to.not.include("log log_key_alone").and.not.include("registry registry_of_service");
    const isolated = await verified({ trades: [own] }, { ...trusting, log: served(null, 5) });
    expectEnd(isolated, 1, "log log_contradicts");
    const away = { ...trusting, log: () => Promise.reject(new Error("no")) };
    expectEnd(await verified({ trades: [own] }, away), 2, "log log_not_served");
    const fake = addressFor("a contract of somebody's");
    const foreign = await verified({ trades: [{ ...own, address: fake }] }, trusting);
    expect(expectEnd(foreign, 2).paramsOf("event_differs").members).to.equal("the guard");
    published[`evidence/${own.evidenceHash}`] = document;
    expectEnd(await verified({ trades: [own] }, trusting), 2, "log log_absent");
    expectEnd(await verified({ trades: [] }, trusting), 2, "document nothing_to_verify");
  });

  it("is UNVERIFIABLE where the service gives evidence of another trade, guard, job or intent than the node's event", async () => {
    const elsewhere = id("other evidence");
    published[`evidence/${elsewhere}`] = document;
    const swapped = await verified({ trades: [{ ...own, evidenceHash: elsewhere }] });
    expectEnd(swapped, 2, "chain event_other_evidence");
    for (const [changes, what] of [
      [{ intentHash: id("another intent") }, "the trade intent"],
      [{ jobId: "job_other" }, "the job"],
    ] as const) {
      const found = expectEnd(await verified({ trades: [{ ...own, ...changes }] }), 2);
      expect(found.paramsOf("event_differs").members).to.equal(what);
    }
    const second = addressFor("a second guard");
    const flags = ["--guard", `${CHAIN_ID}:${second}`];
    // Of another guard than the reader named.
    const foreign = await verified({ trades: [{ ...own, address: second }] }, { flags });
    expectEnd(foreign, 1, "issuer guard_other", "chain event_differs");
  });

  it("is INVALID for evidence that was changed by one digit", async () => {
    const changed = copy(document);
    changed.evidence.quote.amountOutRaw = `${changed.evidence.quote.amountOutRaw}0`;
    published[`evidence/${own.evidenceHash}`] = changed;
    expectEnd(await verified({ trades: [own] }), 1, "hash hash_other");
  });

  it("is UNVERIFIABLE without the evidence, and says what to do", async () => {
    published = {};
    const { conclusion } = expectEnd(await verified({ trades: [own] }), 2, "document nothing_to_verify");
    expect(conclusion).to.match(
      /^UNVERIFIABLE\. The service has no public evidence 0x.*not be final yet.*assay verify FILE\.$/,
    );
  });

  it("is UNVERIFIABLE where the guard traded nothing: unknown, reverted, or another contract's event", async () => {
    const unknown = await verified({ trades: [own] }, { tx: id("nothing") });
    expect(expectEnd(unknown, 2).conclusion).to.contain(`has no transaction ${id("nothing")} in a block`);
    expect(expectEnd(await verified({}, { tx: REVERTED }), 2).conclusion).to.contain("was reverted");
    const fake = addressFor("a contract of somebody's");
    const foreign = expectEnd(await verified({ trades: [{ ...own, address: fake }] }), 2);
    expect(foreign.conclusion).to.contain(`another contract, ${fake}`);
    expect(asked).to.deep.equal([]);
  });

  it("verifies each trade of a transaction, and answers with the worst verdict", async () => {
    const unpublished = { ...own, evidenceHash: id("not published"), sharing: 0 };
    const { json } = expectEnd(await verified({ trades: [own, unpublished] }), 2);
    expect(json.transactionHash).to.equal(TX);
    expect(json.trades.map((trade: any) => [trade.verdict, trade.ofEvent])).to.deep.equal([
      ["VALID", own.evidenceHash],
      ["UNVERIFIABLE", unpublished.evidenceHash],
    ]);
    expectEnd(await verified({ trades: [own, { ...own, sharing: 0 }] }), 0);
    const many = Array.from({ length: 17 }, () => ({ ...own, sharing: 0 }));
    expect(expectEnd(await verified({ trades: many }), 2).conclusion).to.contain("17 trades, more than 16");
  });

  it("takes a policy that this program does not have from the service, as the service's word, if it hashes as the evidence says", async () => {
    const definition = { ...copy(policyById("STRICT_LIVE").definition), policyId: "OF_THE_SERVICE" };
    const hash = canonicalHash(definition);
    const [policy] = parsePolicies([definition]) as [Policy];
    const given = await preparedAndExecuted(reportOn(judgement({ policy })), policy);
    const { report, execution } = given.document;
    published[`evidence/${report.evidenceHash}`] = { ...report, execution };
    const trades = [given.own];
    expectEnd(await verified({ trades }), 2, "policy policy_unknown");
    published[`policies/${hash}`] = { ...definition, version: 78 };
    expectEnd(await verified({ trades }), 2, "policy policy_unknown");
    published[`policies/${hash}`] = definition;
    expectEnd(await verified({ trades }), 0, "policy policy_of_service");
    const strict = await verified({ trades }, { flags: [...NAMED, "--strict"] });
    expectEnd(strict, 2, "policy policy_of_service");
  });

  it("does not take a policy from the service under a name that this program knows", async () => {
    const lax = copy(policyById("STRICT_LIVE").definition);
    lax.maxSlippageBps = 9_999;
    const [policy] = parsePolicies([lax]) as [Policy];
    const given = await preparedAndExecuted(reportOn(judgement({ policy })), policy);
    const { report, execution } = given.document;
    published[`evidence/${report.evidenceHash}`] = { ...report, execution };
    published[`policies/${canonicalHash(lax)}`] = lax;
    expectEnd(await verified({ trades: [given.own] }), 1, "policy policy_redefined");
  });

  it("is UNVERIFIABLE, and names the contradiction, by a node whose receipt is in no block of the chain", async () => {
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
      const { conclusion } = expectEnd(await verified({}, {}, rpc), 2);
      expect(conclusion)
        .to.match(/^UNVERIFIABLE\. The node contradicts itself: /)
        .and.match(contradiction);
    }
    for (const garbage of ["<html>", 7, { logs: [] }]) {
      const senseless = doctored("eth_getTransactionReceipt", () => garbage);
      const { conclusion } = expectEnd(await verified({}, {}, senseless), 2);
      expect(conclusion).to.contain("The node returned an invalid response");
    }
  });

  it("says of a node that is away that it cannot be reached", async () => {
    const away = () => Promise.reject(new RpcUnreachable("no connection"));
    expect(expectEnd(await verified({}, {}, away), 2).conclusion).to.equal(
      "UNVERIFIABLE. The node cannot be reached: no connection.",
    );
  });
});
