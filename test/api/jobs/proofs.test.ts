/** State proofs of a service whose node gives them: what they prove to a reader who has the report alone. */
import { expect } from "chai";
import { id } from "ethers";
import { unpacked } from "../../../api/jobs/attachments.ts";
import { clearOldJobs } from "../../../api/jobs/retention.ts";
import { quoteContradictions } from "../../../attestor/evidence/quoteContradictions.ts";
import { liquidityOfSamples, type SampleBatch } from "../../../attestor/evidence/samples.ts";
import { proofsHash } from "../../../attestor/proofs/stateProofs.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { verifyReport } from "../../../attestor/verify/verify.ts";
import { connectJsonRpc } from "../../../chain/jsonRpc.ts";
import { copy, named } from "../../attestor/fixtures.ts";
import { countOf, rowsOf } from "../../support/database.ts";
import {
  askedAgain,
  type Bend,
  bentEvidence,
  deepPoolTrade,
  expectDifferent,
  forgetfulNode,
  judged,
  lessByOne,
  outcomeOf,
  recompute,
  requote,
} from "../../support/forged.ts";
import { testService } from "../../support/service.ts";
import { testWorld } from "../../support/world.ts";

const DAY = 86_400;

describe("a report with state proofs", () => {
  const world = testWorld();
  const service = testService(world);
  before(async () => {
    await world.tick();
    await service.recordLiquidity();
  });

  const newReport = async (changes: object = {}) =>
    (await service.newJob(deepPoolTrade(world, changes))).report;

  it("a report with state proofs proves guard and block, and is consistent offline from the file alone", async () => {
    const report = await newReport();
    expect(report.evidence.proofs.hash).to.equal(proofsHash(report.proofs));
    const result = verifyReport(report);
    expect(result.isConsistent, JSON.stringify(result.steps)).to.equal(true);
    expect(outcomeOf(result, "state")).to.equal("ok");
    expect(result.reservations.map(({ code }) => code)).to.include("block_of_proof");
    expect(result.facts.filter(({ kind }) => kind === "proved").length).to.be.at.least(4);
    // The bound that the documentation names.
    expect(JSON.stringify(report.proofs).length).to.be.below(24_000);
  });

  it("a report with state proofs is proved without a condition, and found the same, by a node of the chain", async () => {
    const found = await askedAgain(world, await newReport());
    expect(found.code, found.codes.join(", ")).to.equal(2);
    expect(outcomeOf(found.json, "state")).to.equal("ok");
    expect(outcomeOf(found.json, "chain")).to.equal("ok");
    expect(found.codes).to.not.include("state block_of_proof");
    expect(named(found.json, "wrong")).to.deep.equal([]);
  });

  it("a report with state proofs tells which of the token's facts are proved", async () => {
    const { registry } = world.deployment;
    const { facts, steps } = verifyReport(await newReport(), { registry });
    const kindOf = (wanted: string) => facts.find(({ name }) => name === wanted)?.kind;
    expect(kindOf("shares factor")).to.equal("proved");
    expect(kindOf("announced change")).to.equal("proved");
    expect(kindOf("trading halt")).to.equal("observed");
    expect(outcomeOf({ steps }, "registry")).to.equal("ok");
  });

  const tokenRows: readonly [what: string, step: string, bend: Bend][] = [
    ["another factor than the token's", "state", ({ token }) => (token.factor.value = "1.5")],
    [
      "another place of the factor than the registry's",
      "registry",
      ({ token }) => (token.layout.uiMultiplier = id("another")),
    ],
  ];
  for (const [what, step, bend] of tokenRows)
    it(`a report with state proofs is INVALID offline with ${what}`, async () => {
      const report = await newReport();
      const evidence = copy(report.evidence);
      bend(evidence);
      recompute(evidence);
      const { registry } = world.deployment;
      const result = verifyReport({ ...judged(evidence), proofs: report.proofs }, { registry });
      expect(named(result, "wrong")).to.deep.equal([step]);
    });

  it("a report with state proofs shares one copy of them and of its samples with all jobs of a block, which goes with the last of these", async () => {
    const { db } = service.server.service;
    const reports = await Promise.all(Array.from({ length: 30 }, () => newReport()));
    const hashes = new Set(reports.map(({ evidence }) => evidence.proofs.hash));
    expect(hashes.size).to.equal(1);
    const [report] = reports;
    const rows = await rowsOf(db, "proofs", { hash: [...hashes][0]! });
    expect(rows.map(({ body }) => unpacked(body))).to.deep.equal([report.proofs]);
    const { liquidity } = report.evidence;
    const batch = await rowsOf(db, "sample_batches", { root: liquidity.samplesRoot });
    expect(batch).to.have.length(1);
    const samples = unpacked(batch[0]!.body) as SampleBatch;
    expect(canonicalHash(samples)).to.equal(liquidity.samplesRoot);
    const again = { ...liquidityOfSamples(samples), samplesRoot: liquidity.samplesRoot };
    expect(again).to.deep.equal(liquidity);

    const now = Math.floor(world.clock.now() / 1_000);
    const all = { oneShotDays: 3, jobDays: 3, soldDays: null, failedPaymentDays: 3 };
    await clearOldJobs(db, all, now + 2 * DAY);
    expect(await countOf(db, "proofs")).to.be.above(0);
    await clearOldJobs(db, all, now + 4 * DAY);
    for (const table of ["proofs", "sample_batches"] as const) expect(await countOf(db, table)).to.equal(0);
  });

  it("a report with state proofs is not VALID with the proved state of a pool that is not the route's for these tokens", async () => {
    const report = await newReport();
    const other = await newReport({ outputAssetKey: world.assetKey("NVDAx") });
    const [pool] = report.evidence.quote.pools;
    const [stranger] = other.evidence.quote.pools;
    // As a forger would say whose pool it is; that its address does not follow is not known without a registry.
    const evidence = copy(report.evidence);
    evidence.quote.pools[0] = { ...pool, address: stranger.address };
    const forged = await askedAgain(world, judged(evidence));
    expectDifferent(forged, new RegExp(`pool ${stranger.address} is the route's`));
    expect((await askedAgain(world, report)).codes).to.not.include("chain read_again_other");
  });

  it("a report with state proofs is not VALID with another fee than the router of Uniswap V2 takes, also by a node that has forgotten the block", async () => {
    const report = await newReport();
    const evidence = copy(report.evidence);
    expect(evidence.quote.pools[0].kind).to.equal("uniswap-v2");
    evidence.quote.pools[0].feeBps = 0;
    requote(evidence);
    expect(quoteContradictions(evidence.quote, evidence.trade)).to.deep.equal([]);
    const forged = { ...judged(evidence), proofs: report.proofs };
    expect(named(verifyReport(forged), "wrong")).to.deep.equal([]);
    for (const rpc of [connectJsonRpc(world.url), forgetfulNode(world)])
      expectDifferent(await askedAgain(world, forged, { rpc }), /pool 0x\w+ is the route's/);
  });

  /** What a node says of a report under a name for proofs that never were, every other hash right. */
  async function unshown(bend: Bend = () => {}) {
    const evidence = await bentEvidence(service, bend);
    evidence.proofs.hash = canonicalHash("nothing");
    return askedAgain(world, judged(evidence));
  }
  const unshownRows: readonly [what: string, fact: RegExp, bend: Bend][] = [
    ["a pause of the guard", /guard paused/, ({ guard }) => (guard.paused = true)],
    ["a route that is not allowed", /route allowed/, ({ guard }) => (guard.routeAllowed = false)],
    [
      "another reserve of the pool",
      /pool 0x/,
      ({ quote }) => (quote.pools[0].reserve0 = lessByOne(quote.pools[0].reserve0)),
    ],
  ];
  for (const [what, fact, bend] of unshownRows)
    it(`a report whose proofs nobody can show is not VALID with ${what}, which the chain contradicts`, async () => {
      expectDifferent(await unshown(bend), fact);
    });

  it("a report whose proofs nobody can show is observed to a reader with a node, and says that they are missing", async () => {
    const found = await unshown();
    expect(outcomeOf(found.json, "chain")).to.equal("ok");
    expect(found.codes).to.include("state proofs_missing");
    expect(found.json.facts.map(({ kind }: any) => kind)).to.not.include("proved");
  });
});
