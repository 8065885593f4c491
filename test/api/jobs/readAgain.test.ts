/** Reports of a service whose node gives no proofs: what another node says when a reader asks it for the facts again. */
import { expect } from "chai";
import { id } from "ethers";
import { priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { sourceName } from "../../../attestor/sources.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { connectJsonRpc, type Rpc } from "../../../chain/jsonRpc.ts";
import { type ReadAgain, readAgain } from "../../../chain/readAgain.ts";
import { localSigners, signedUpdate } from "../../../devnet/hermes/update.ts";
import { copy, named, prepared } from "../../attestor/fixtures.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import {
  askedAgain,
  type Bend,
  bentEvidence,
  deepPoolTrade,
  expectDifferent,
  expectDoubted,
  forgetfulNode,
  judged,
  lessByOne,
  outcomeOf,
  recompute,
  requote,
} from "../../support/forged.ts";
import { startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const NO_SUCH_METHOD = { code: -32601, message: "the method does not exist" };

const onChain = (prices: any[]) => prices.find((price) => price.onChain !== null);

describe("a report without state proofs", () => {
  const world = testWorld();
  const node = ofSuite(() =>
    flakyRpc(world.url, (method) => (method === "eth_getProof" ? { error: NO_SUCH_METHOD } : null)),
  );
  const service = ofSuite(() => startService(world, "sqlite::memory:", { RPC_URL: node.url }));
  before(async () => {
    await world.tick();
    await service.recordLiquidity();
  });

  const asked = (document: unknown, given?: Parameters<typeof askedAgain>[2]) =>
    askedAgain(world, document, given);
  const newReport = async (changes: object = {}) =>
    (await service.newJob(deepPoolTrade(world, changes))).report;
  /** The evidence of a trade whose pool is of Uniswap V3. */
  const evidenceOfV3 = () => bentEvidence(service, undefined, { outputAssetKey: world.assetKey("AAPLx") });
  /** As the service signs it, where it allows the trade. */
  const signed = (evidence: unknown) =>
    prepared(judged(evidence), undefined, world.accounts.attestation.privateKey);
  const factsOf = ({ faults }: ReadAgain) => faults.map(({ params }) => params.fact);

  it("a report without state proofs says that the node gave none, and counts its state as observed", async () => {
    const report = await newReport();
    expect(report.evidence.proofs).to.equal(null);
    expect(verifyReport(report).facts.map(({ kind }) => kind)).to.not.include("proved");
    const found = await asked(report);
    expect(outcomeOf(found.json, "chain")).to.equal("ok");
    expect(named(found.json, "wrong")).to.deep.equal([]);
  });

  const forgeries: readonly [what: string, fact: RegExp, bend: Bend][] = [
    ["a pause of the guard", /guard paused/, ({ guard }) => (guard.paused = true)],
    ["a route that is not allowed", /route allowed/, ({ guard }) => (guard.routeAllowed = false)],
    ["another price of a feed", /price of/, ({ references }) => (onChain(references).price += "1")],
    ["an older price of a feed", /price of/, ({ references }) => (onChain(references).publishedAt -= 1)],
    [
      "an older price of the dollar token",
      /settlement price of/,
      ({ settlement }) => (onChain(settlement).publishedAt -= 1),
    ],
    ["another factor of the token", /shares factor/, ({ token }) => (token.factor.value = "1.5")],
    [
      "a change that nobody announced",
      /announced change/,
      ({ token }) => (token.announcement.change = { value: "2", effectiveAt: 1 }),
    ],
    ["a halt that is not there", /trading halt/, ({ token }) => (token.halts[0].halted = true)],
  ];
  for (const [what, fact, bend] of forgeries)
    it(`a report without state proofs is not VALID with ${what}, every hash and signature right`, async () => {
      const evidence = await bentEvidence(service, bend);
      const isAllowed = judged(evidence).decision === "ALLOW";
      expectDifferent(await asked(isAllowed ? await signed(evidence) : judged(evidence)), fact);
    });

  it("a report without state proofs is not VALID with a price that is not the feed's, under any alleged proof", async () => {
    // One price of the symbol is signed; the other, on the chain, carries bytes that nobody knows.
    const evidence = await bentEvidence(service);
    const feed = onChain(evidence.references);
    feed.price += "1";
    feed.proof = { format: "unheard-of", data: "0x00" };
    const feedId = id("a feed");
    const publishedAt = evidence.capturedAt;
    const message = { feedId, price: 25_000_000n, confidence: 0n, exponent: -5, publishedAt };
    const proof = priceProofOf(signedUpdate([message], publishedAt, localSigners()), feedId);
    const price = { provider: "pyth", kind: "live", onChain: null, price: "250", confidence: "0" };
    evidence.references.push({ ...feed, ...price, publishedAt, proof });
    expectDifferent(await asked(judged(evidence)), /price of/);
  });

  it("a report without state proofs is not VALID with another reserve of its pool", async () => {
    const evidence = await bentEvidence(service, ({ quote }) => {
      quote.pools[0].reserve0 = lessByOne(quote.pools[0].reserve0);
    });
    expectDifferent(await asked(judged(evidence)), /pool 0x\w+/);
  });

  it("a report without state proofs is not VALID with another state of a pool of Uniswap V3, of which all else follows", async () => {
    const evidence = await evidenceOfV3();
    const [pool] = evidence.quote.pools;
    expect(pool.kind).to.equal("uniswap-v3");
    expect((await asked(judged(evidence))).codes).to.not.include("chain read_again_other");
    pool.liquidity = lessByOne(pool.liquidity);
    requote(evidence);
    expectDifferent(await asked(judged(evidence)), new RegExp(`pool ${pool.address}$`));
  });

  it("a report without state proofs whose quote names no pools is asked of the router of Uniswap V2, also where it names fees", async () => {
    const rpc = connectJsonRpc(world.url);
    for (const fees of [[], [3_000]]) {
      const evidence = await bentEvidence(service, ({ quote }) =>
        Object.assign(quote, { pools: null, fees }),
      );
      expect(await readAgain(evidence, [], { rpc })).to.deep.equal({ faults: [], trusted: [] });
      evidence.quote.amountOutRaw = "1";
      expect(factsOf(await readAgain(evidence, [], { rpc }))).to.deep.equal(["quote"]);
    }
  });

  it("a report without state proofs is not VALID with a forged word of the quoter of Uniswap V3, where the registry names that", async () => {
    const evidence = await evidenceOfV3();
    const { guard, quote } = evidence;
    expect(quote.selector).to.equal("0x414bf389");
    const { registry } = world.deployment;
    const known = [{ chainId: 31_337, address: guard.address, record: "a record", keys: [], registry }];
    // As if the pool could not be computed: the quoter says the same, so nothing is forged yet.
    quote.pools = null;
    expect((await asked(judged(evidence), { known })).codes).to.not.include("chain read_again_other");
    quote.amountOutRaw = lessByOne(quote.amountOutRaw);
    recompute(evidence);
    expectDifferent(await asked(judged(evidence), { known }), /quote/);
    expect((await asked(judged(evidence))).codes).to.include("chain quoter_not_known");
  });

  it("a report without state proofs is asked about the sources on the chain that are said to have failed", async () => {
    const evidence = await bentEvidence(service);
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
    const rpc = connectJsonRpc(world.url);
    expect(factsOf(await readAgain(evidence, [], { rpc, registry }))).to.deep.equal([
      "no factor by erc-8056",
      "no halt by halt-flag tradingHalted",
      `no price by ${sourceName(feed)}`,
    ]);
    evidence.token.announcement = null;
    const views = ["newMultiplier()", "newMultiplierActivationTime()"].map((view) => id(view).slice(0, 10));
    const announcing: Rpc = async (method, params: any[]) =>
      views.includes(params[0]?.data) ? id("a change") : await rpc(method, params);
    const unsaid = "no announcement by backed";
    expect(factsOf(await readAgain(evidence, [], { rpc, registry }))).to.not.include(unsaid);
    expect(factsOf(await readAgain(evidence, [], { rpc: announcing, registry }))).to.include(unsaid);
  });

  const strangers: readonly [what: string, fact: RegExp, bend: Bend][] = [
    ["a factor", /shares factor/, ({ token }) => (token.factor.provider = "oracle")],
    ["a halt", /trading halt/, ({ token }) => (token.halts[0].provider = "isHalted")],
    ["a price", /price of/, ({ references }) => (onChain(references).provider = "another")],
  ];
  for (const [what, fact, bend] of strangers)
    it(`a report without state proofs is UNVERIFIABLE with ${what} that is called observed, and that nobody here can read`, async () => {
      const evidence = await bentEvidence(service, bend);
      recompute(evidence);
      const found = await asked(await signed(evidence));
      expectDoubted(found, "read_again_stranger", fact);
      expect(found.code).to.equal(2);
    });

  it("a report without state proofs is INVALID where one contract's price counts as two, by two names", async () => {
    const evidence = await bentEvidence(service);
    evidence.references.push({ ...onChain(evidence.references), provider: "another" });
    const found = await asked(judged(evidence));
    expect(found.code).to.equal(1);
    expect(found.paramsOf("contract_under_two_names")).to.include({ provider: "another" });
  });

  it("a report without state proofs keeps its verdict where the node forgot the state, and is UNVERIFIABLE with --strict", async () => {
    const report = await newReport();
    const mild = await asked(report, { rpc: forgetfulNode(world) });
    expect(mild.paramsOf("gone_from_node").facts).to.include("guard paused (missing trie node)");
    expect(outcomeOf(mild.json, "chain")).to.equal("ok");
    const strict = await asked(report, { flags: ["--strict"], rpc: forgetfulNode(world) });
    expect(outcomeOf(strict.json, "chain")).to.equal("unknown");
  });
});
