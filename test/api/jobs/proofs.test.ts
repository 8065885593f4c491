/** Reports of a real service: what their facts rest on, their proofs, and what a node says when it is asked again. */
import { expect } from "chai";
import { id } from "ethers";
import { unpacked } from "../../../api/jobs/attachments.ts";
import { clearOldJobs } from "../../../api/jobs/retention.ts";
import { figuresOf } from "../../../attestor/evidence/figures.ts";
import { quoteContradictions } from "../../../attestor/evidence/quoteContradictions.ts";
import { liquidityOfSamples, type SampleBatch } from "../../../attestor/evidence/samples.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { tradePath } from "../../../attestor/pools/quote.ts";
import { proofsHash } from "../../../attestor/proofs/stateProofs.ts";
import { priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { evaluate } from "../../../attestor/report.ts";
import { sourceName } from "../../../attestor/sources.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import type { KnownGuard } from "../../../attestor/verify/trust.ts";
import type { Verification } from "../../../attestor/verify/verification.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { connectJsonRpc, type Rpc, RpcRefused } from "../../../chain/jsonRpc.ts";
import { type ReadAgain, readAgain } from "../../../chain/readAgain.ts";
import { localSigners, signedUpdate } from "../../../devnet/hermes/update.ts";
import { prepared } from "../../attestor/fixtures.ts";
import { countOf, rowsOf } from "../../support/database.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { type Service, startService, testService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { type Verified, verifiedWith } from "../../support/verified.ts";
import { testWorld } from "../../support/world.ts";

const copy = <T>(value: T): any => JSON.parse(JSON.stringify(value));

const error = { code: -32601, message: "the method does not exist" };

const world = testWorld();
const service = testService(world);
const node = ofSuite(() => flakyRpc(world.url, (method) => (method === "eth_getProof" ? { error } : null)));
/** The same chain through a node that gives no proofs. */
const plain = ofSuite(() => startService(world, "sqlite::memory:", { RPC_URL: node.url }));
before(async () => {
  await world.tick();
  await service.recordLiquidity();
  await plain.recordLiquidity();
});

/** V2 is the deep one of this token. */
const newReport = async (from: Service, changes: object = {}): Promise<{ jobId: string; report: any }> =>
  from.newJob({ outputAssetKey: world.assetKey("TSLAx"), ...changes });
/** Of the policy that the evidence names. */
const judged = (evidence: any) => evaluate(policyById(evidence.policy.policyId), evidence);
/** A node of the chain that has forgotten the state of old blocks. */
const forgetful: Rpc = async (method, params) => {
  if (method === "eth_call" && typeof params[1] === "object") throw new RpcRefused("missing trie node");
  return await connectJsonRpc(world.url)(method, params);
};

const worse = (text: string) => (BigInt(text) - 1n).toString();

async function asked(
  document: unknown,
  flags: string[] = [],
  rpc: Rpc = connectJsonRpc(world.url),
  known: readonly KnownGuard[] = [],
) {
  const signer = world.accounts.attestation.address;
  return verifiedWith(["-", "--signer", signer, ...flags], rpc, { document, known });
}

/** A new report's evidence, bent. */
async function bentEvidence(bend: (evidence: any) => void = () => {}, from = plain): Promise<any> {
  const evidence = copy((await newReport(from)).report.evidence);
  bend(evidence);
  return evidence;
}
/** It is not VALID, and a fault with this code says so of a fact. */
function expectDoubted(found: Verified, code: string, fact: string, exit?: 1 | 2): void {
  expect(found.code, found.codes.join(", ")).to.be.oneOf(exit === undefined ? [1, 2] : [exit]);
  const told = found.faults.filter((fault) => fault.code === code).map(({ params }) => String(params.fact));
  expect(
    told.some((each) => new RegExp(fact).test(each)),
    `${code}: ${told.join("; ")}`,
  ).to.equal(true);
}
const expectDifferent = (found: Verified, fact: string) => expectDoubted(found, "read_again_other", fact);
const expectNothingWrong = ({ json }: Verified) =>
  expect(json.steps.filter(({ outcome }: any) => outcome === "wrong")).to.deep.equal([]);
const outcomeOf = ({ steps }: Pick<Verification, "steps">, wanted: string) =>
  steps.find(({ name }) => name === wanted)?.outcome;

describe("a report of a service whose node gives proofs", () => {
  it("carries them, proves guard and block, and is consistent offline from the file alone", async () => {
    const { report } = await newReport(service);
    expect(report.evidence.proofs.hash).to.equal(proofsHash(report.proofs));
    const result = verifyReport(report);
    expect(result.isConsistent, JSON.stringify(result.steps)).to.equal(true);
    expect(outcomeOf(result, "state")).to.equal("ok");
    expect(result.reservations.map(({ code }) => code)).to.include("block_of_proof");
    expect(result.facts.filter(({ kind }) => kind === "proved").length).to.be.at.least(4);
    // The bound that the documentation names.
    expect(JSON.stringify(report.proofs).length).to.be.below(24_000);
  });

  it("a report of a service whose node gives proofs is INVALID with another factor than the token's, offline and with a registry alone", async () => {
    const { registry } = world.deployment;
    const { report } = await newReport(service);
    const sound = verifyReport(report, { registry });
    const kinds = sound.facts.flatMap(({ name, kind }) =>
      ["shares factor", "announced change", "trading halt"].includes(name) ? [[name, kind]] : [],
    );
    expect(kinds).to.deep.equal([
      ["shares factor", "proved"],
      ["announced change", "proved"],
      ["trading halt", "observed"],
    ]);
    expect(outcomeOf(sound, "registry")).to.equal("ok");
    const policy = policyById(report.evidence.policy.policyId);
    const wrong = (bend: (evidence: any) => void) => {
      const evidence = copy(report.evidence);
      bend(evidence);
      evidence.figures = figuresOf(policy.definition, evidence);
      const { steps } = verifyReport({ ...evaluate(policy, evidence), proofs: report.proofs }, { registry });
      return steps.flatMap(({ name, outcome }) => (outcome === "wrong" ? [name] : []));
    };
    expect(wrong(({ token }) => (token.factor.value = "1.5"))).to.deep.equal(["state"]);
    expect(wrong(({ token }) => (token.layout.uiMultiplier = id("another")))).to.deep.equal(["registry"]);
  });

  it("a report of a service whose node gives proofs shares one copy of proofs and samples with all jobs of a block; both are deleted with the last", async () => {
    const { db } = service.server.service;
    const jobs = await Promise.all(Array.from({ length: 30 }, () => newReport(service)));
    const hashes = new Set(jobs.map(({ report }) => report.evidence.proofs.hash));
    expect(hashes.size).to.equal(1);
    const rows = await rowsOf(db, "proofs", { hash: [...hashes][0]! });
    expect(rows.map(({ body }) => unpacked(body))).to.deep.equal([jobs[0]!.report.proofs]);
    const root = jobs[0]!.report.evidence.liquidity.samplesRoot;
    const batch = await rowsOf(db, "sample_batches", { root });
    expect(batch).to.have.length(1);
    const samples = unpacked(batch[0]!.body) as SampleBatch;
    expect(canonicalHash(samples)).to.equal(root);
    expect({ ...liquidityOfSamples(samples), samplesRoot: root }).to.deep.equal(
      jobs[0]!.report.evidence.liquidity,
    );

    const now = Math.floor(world.clock.now() / 1_000);
    const all = { oneShotDays: 3, jobDays: 3, soldDays: null, failedPaymentDays: 3 };
    await clearOldJobs(db, all, now + 2 * 86_400);
    expect(await countOf(db, "proofs")).to.be.above(0);
    await clearOldJobs(db, all, now + 4 * 86_400);
    for (const table of ["proofs", "sample_batches"] as const) expect(await countOf(db, table)).to.equal(0);
  });

  it("a report of a service whose node gives proofs is not VALID with the proved state of a pool that is not the route's for these tokens", async () => {
    const { report } = await newReport(service);
    const other = await newReport(service, { outputAssetKey: world.assetKey("NVDAx") });
    const [pool] = report.evidence.quote.pools;
    const [stranger] = other.report.evidence.quote.pools;
    // As a forger would say whose pool it is; that its address does not follow is not known without a registry.
    const evidence = copy(report.evidence);
    evidence.quote.pools[0] = { ...pool, address: stranger.address };
    const forged = evaluate(policyById("STRICT_LIVE"), evidence);
    expectDifferent(await asked(forged), `pool ${stranger.address} is the route's`);
    expect((await asked(report)).codes).to.not.include("chain read_again_other");
  });

  it("a report of a service whose node gives proofs is not VALID with another fee than the router of V2 takes", async () => {
    const { report } = await newReport(service);
    const evidence = copy(report.evidence);
    const { quote, trade: traded } = evidence;
    expect(quote.pools[0].kind).to.equal("uniswap-v2");
    quote.pools[0].feeBps = 0;
    const through = (amount: string) => tradePath(quote.pools, quote.path[0], BigInt(amount)) as any;
    quote.amountOutRaw = through(quote.amountInRaw).amountOut.toString();
    quote.referenceAmountOutRaw = through(quote.referenceAmountInRaw).amountOut.toString();
    expect(quoteContradictions(quote, traded)).to.deep.equal([]);
    const policy = policyById("STRICT_LIVE");
    evidence.figures = figuresOf(policy.definition, evidence);
    const forged = { ...evaluate(policy, evidence), proofs: report.proofs };
    expect(verifyReport(forged).steps.filter(({ outcome }) => outcome === "wrong")).to.deep.equal([]);
    // Also from a node that has forgotten the block.
    for (const rpc of [connectJsonRpc(world.url), forgetful]) {
      expectDifferent(await asked(forged, [], rpc), "pool 0x\\w+ is the route's");
    }
  });

  it("a report of a service whose node gives proofs is proved without a condition, and found the same, by a node of the chain", async () => {
    const { report } = await newReport(service);
    const found = await asked(report);
    expect(found.code, found.codes.join(", ")).to.equal(2);
    expect(outcomeOf(found.json, "state")).to.equal("ok");
    expect(outcomeOf(found.json, "chain")).to.equal("ok");
    expect(found.codes).to.not.include("state block_of_proof");
    expectNothingWrong(found);
  });
});

const contractPriceIn = (references: any[]) => references.find(({ onChain }) => onChain !== null);

describe("a report that names proofs which nobody can show", () => {
  /** A forged fact under a name for proofs that never were, every other hash right. */
  async function unshown(bend: (evidence: any) => void) {
    const evidence = await bentEvidence(bend, service);
    evidence.proofs.hash = canonicalHash("nothing");
    return await asked(judged(evidence));
  }

  it("judges a report UNVERIFIABLE whose missing proofs the chain contradicts", async () => {
    for (const [fact, bend] of [
      ["guard paused", ({ guard }: any) => (guard.paused = true)],
      ["route allowed", ({ guard }: any) => (guard.routeAllowed = false)],
      ["pool 0x", ({ quote }: any) => (quote.pools[0].reserve0 = worse(quote.pools[0].reserve0))],
    ] as const)
      expectDifferent(await unshown(bend), fact);
  });

  it("a report that names proofs which nobody can show is observed to a reader, and says that they are missing", async () => {
    const found = await unshown(() => {});
    expect(outcomeOf(found.json, "chain")).to.equal("ok");
    expect(found.codes).to.include("state proofs_missing");
    expect(found.json.facts.map(({ kind }: any) => kind)).to.not.include("proved");
  });
});

describe("a report of a service whose node gives no proofs", () => {
  it("says in a report that its node gave no proofs, and counts its state as observed", async () => {
    const { report } = await newReport(plain);
    expect(report.evidence.proofs).to.equal(null);
    expect(verifyReport(report).facts.map(({ kind }) => kind)).to.not.include("proved");
    const found = await asked(report);
    expect(outcomeOf(found.json, "chain")).to.equal("ok");
    expectNothingWrong(found);
  });

  const forged: [string, (evidence: any) => void][] = [
    ["guard paused", ({ guard }) => (guard.paused = true)],
    ["route allowed", ({ guard }) => (guard.routeAllowed = false)],
    ["price of", ({ references }) => (references.find((one: any) => one.onChain).price += "1")],
    ["price of", ({ references }) => (references.find((one: any) => one.onChain).publishedAt -= 1)],
    [
      "settlement price of",
      ({ settlement }) => (settlement.find((one: any) => one.onChain).publishedAt -= 1),
    ],
    ["shares factor", ({ token }) => (token.factor.value = "1.5")],
    ["announced change", ({ token }) => (token.announcement.change = { value: "2", effectiveAt: 1 })],
    ["trading halt", ({ token }) => (token.halts[0].halted = true)],
  ];
  for (const [index, [fact, bend]] of forged.entries())
    it(`a report of a service whose node gives no proofs is not VALID with a forged fact and every hash and signature right (${index + 1}: ${fact})`, async () => {
      const evidence = await bentEvidence(bend);
      const policy = policyById(evidence.policy.policyId);
      const made = evaluate(policy, evidence);
      const document =
        made.decision === "DENY" ? made : await prepared(made, policy, world.accounts.attestation.privateKey);
      expectDifferent(await asked(document), fact);
    });

  it("a report of a service whose node gives no proofs is not VALID with a price that is not the feed's, under any alleged proof", async () => {
    // One price of the symbol is signed; the other, on the chain, carries bytes that nobody knows.
    const evidence = await bentEvidence();
    const feed = contractPriceIn(evidence.references);
    feed.price += "1";
    feed.proof = { format: "unheard-of", data: "0x00" };
    const feedId = id("a feed");
    const publishedAt = evidence.capturedAt;
    const message = { feedId, price: 25_000_000n, confidence: 0n, exponent: -5, publishedAt };
    const proof = priceProofOf(signedUpdate([message], publishedAt, localSigners()), feedId);
    const signed = { provider: "pyth", kind: "live", onChain: null, price: "250", confidence: "0" };
    evidence.references.push({ ...feed, ...signed, publishedAt, proof });
    expectDifferent(await asked(judged(evidence)), "price of");
  });

  it("a report of a service whose node gives no proofs is asked about the sources on the chain that are said to have failed", async () => {
    const evidence = await bentEvidence();
    const { stockAssetKey, settlementAssetKey } = evidence.trade;
    const registry = copy(world.deployment.registry);
    const listed = (key: string) => registry.assets.find(({ assetKey }: any) => assetKey === key);
    listed(stockAssetKey).tokenSources.push({ source: "backed" });
    const feed = listed(settlementAssetKey).priceSources.find(({ address }: any) => address !== undefined);
    const failure = { asset: "stock", reason: "no-answer", at: evidence.capturedAt, rawHash: null };
    evidence.failures = [
      { ...failure, source: "backed", subject: "factor" },
      { ...failure, source: "erc-8056", subject: "factor" },
      { ...failure, source: "halt-flag tradingHalted", subject: "halt" },
      { ...failure, asset: "settlement", source: sourceName(feed), subject: "price" },
    ];
    const different = ({ faults }: ReadAgain) => faults.map(({ params }) => params.fact);
    const again = await readAgain(evidence, [], { rpc: connectJsonRpc(world.url), registry });
    expect(different(again)).to.deep.equal([
      "no factor by erc-8056",
      "no halt by halt-flag tradingHalted",
      `no price by ${sourceName(feed)}`,
    ]);
    evidence.token.announcement = null;
    const views = ["newMultiplier()", "newMultiplierActivationTime()"].map((view) => id(view).slice(0, 10));
    const announcing: Rpc = async (method, params: any[]) =>
      views.includes(params[0]?.data) ? id("a change") : await connectJsonRpc(world.url)(method, params);
    const unsaid = "no announcement by backed";
    const silent = await readAgain(evidence, [], { rpc: connectJsonRpc(world.url), registry });
    expect(different(silent)).to.not.include(unsaid);
    expect(different(await readAgain(evidence, [], { rpc: announcing, registry }))).to.include(unsaid);
  });

  it("a report of a service whose node gives no proofs is not VALID with a forged quote, or forged pools", async () => {
    const evidence = await bentEvidence();
    const { quote } = evidence;
    const { pools } = quote;
    if (pools === null) quote.amountOutRaw = worse(quote.amountOutRaw);
    else pools[0].reserve0 = worse(pools[0].reserve0);
    const forged = pools === null ? "quote" : "pool 0x\\w+";
    expectDifferent(await asked(judged(evidence)), forged);
  });

  it("a report of a service whose node gives no proofs is not VALID with another state of a pool of V3 than the chain's", async () => {
    const { report } = await newReport(plain, { outputAssetKey: world.assetKey("AAPLx") });
    const [pool] = report.evidence.quote.pools;
    expect(pool.kind).to.equal("uniswap-v3");
    expect((await asked(report)).codes).to.not.include("chain read_again_other");
    const evidence = copy(report.evidence);
    const { quote } = evidence;
    quote.pools[0].liquidity = worse(pool.liquidity);
    const through = (amount: string) => tradePath(quote.pools, quote.path[0], BigInt(amount)) as any;
    quote.amountOutRaw = through(quote.amountInRaw).amountOut.toString();
    quote.referenceAmountOutRaw = through(quote.referenceAmountInRaw).amountOut.toString();
    evidence.figures = figuresOf(policyById(evidence.policy.policyId).definition, evidence);
    expectDifferent(await asked(judged(evidence)), `pool ${pool.address}$`);
  });

  it("a report of a service whose node gives no proofs and whose quote names no pools is asked of the router of V2, also where it names fees", async () => {
    const evidence = await bentEvidence(({ quote }) => (quote.pools = null));
    const rpc = connectJsonRpc(world.url);
    for (const fees of [[], [3_000]]) {
      evidence.quote.fees = fees;
      const found = (change: object) =>
        readAgain({ ...evidence, quote: { ...evidence.quote, ...change } }, [], { rpc });
      expect(await found({})).to.deep.equal({ faults: [], trusted: [] });
      expect((await found({ amountOutRaw: "1" })).faults.map(({ params }) => params.fact)).to.deep.equal([
        "quote",
      ]);
    }
  });

  it("a report of a service whose node gives no proofs is not VALID with a forged word of the quoter of V3, whom the registry names", async () => {
    const { report } = await newReport(plain, { outputAssetKey: world.assetKey("AAPLx") });
    const evidence = copy(report.evidence);
    const { guard, quote } = evidence;
    expect(quote.selector).to.equal("0x414bf389");
    const { registry } = world.deployment;
    const known = { chainId: 31_337, address: guard.address, record: "a record", keys: [], registry };
    const askedWith = (guards: readonly KnownGuard[]) => asked(judged(evidence), [], undefined, guards);
    // As if the pool could not be computed: the quoter says the same, so nothing is forged yet.
    quote.pools = null;
    expect((await askedWith([known])).codes).to.not.include("chain read_again_other");
    quote.amountOutRaw = worse(quote.amountOutRaw);
    evidence.figures = figuresOf(policyById(evidence.policy.policyId).definition, evidence);
    expectDifferent(await askedWith([known]), "quote");
    expect((await askedWith([])).codes).to.include("chain quoter_not_known");
  });

  it("a report of a service whose node gives no proofs is UNVERIFIABLE where something is called observed and nobody here can read it", async () => {
    const { report } = await newReport(plain);
    for (const [fact, bend] of [
      ["shares factor", ({ token }: any) => (token.factor.provider = "oracle")],
      ["trading halt", ({ token }: any) => (token.halts[0].provider = "isHalted")],
      ["price of", ({ references }: any) => (contractPriceIn(references).provider = "another")],
    ] as const) {
      const evidence = copy(report.evidence);
      bend(evidence);
      evidence.figures = figuresOf(policyById(evidence.policy.policyId).definition, evidence);
      const document = await prepared(judged(evidence), undefined, world.accounts.attestation.privateKey);
      expectDoubted(await asked(document), "read_again_stranger", fact, 2);
    }
  });

  it("a report of a service whose node gives no proofs is INVALID where one contract's price counts as two, by two names", async () => {
    const evidence = await bentEvidence();
    evidence.references.push({ ...contractPriceIn(evidence.references), provider: "another" });
    const found = await asked(judged(evidence));
    expect(found.code).to.equal(1);
    expect(found.paramsOf("contract_under_two_names")).to.include({ provider: "another" });
  });

  it("keeps its verdict where the node forgot the state, and is UNVERIFIABLE with --strict", async () => {
    const { report } = await newReport(plain);
    const mild = await asked(report, [], forgetful);
    expect(mild.paramsOf("gone_from_node").facts).to.include("guard paused (missing trie node)");
    const strict = await asked(report, ["--strict"], forgetful);
    expect(outcomeOf(mild.json, "chain")).to.equal("ok");
    expect(outcomeOf(strict.json, "chain")).to.equal("unknown");
  });
});
