import { expect } from "chai";
import fc from "fast-check";
import { gradeOf, LIQUIDITY_WINDOW_SECONDS } from "../../../attestor/evidence/liquidity.ts";
import {
  liquidityOfSamples,
  medianImpact as median,
  type SampledLiquidity,
  samplesRoot,
} from "../../../attestor/evidence/samples.ts";
import type { Database } from "../../../database/open.ts";
import { retract } from "../../../market/collect/repair.ts";
import { type LiquidityScore, liquidityScores } from "../../../market/queries.ts";
import {
  createSampleRoots,
  type ImpactSample,
  newestSamples,
  recordImpacts,
} from "../../../market/series/impacts.ts";
import { writeScores } from "../../../market/series/liquidity.ts";
import { forEachEngine } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { impactSample, impactsAt, inAnyBatches } from "../../support/samples.ts";

const NOW = 1_795_000_000;

const ASSET = "eip155:1:0x00000000000000000000000000000000000000AA";
const sample = (sampledAt: number, impact: string | null, more?: Partial<ImpactSample>) =>
  impactSample(ASSET, sampledAt, impact, more);

/** The liquidity of a token that nobody measured. */
const UNMEASURED = {
  grade: null,
  sampleN: 0,
  impact1kBps: null,
  impact10kBps: null,
  updatedAt: null,
  source: null,
};

describe("impact samples and liquidity", () => {
  describe("the median", () => {
    it("takes the middle one, or the mean of the two in the middle, exactly", () => {
      expect(median(["3", "1", "2"])).to.equal("2");
      expect(median(["0.1", "0.2"])).to.equal("0.15");
      expect(median(["10.0001", "10.0002"])).to.equal("10.0002");
      expect(median(["-1", "0.5"])).to.equal("-0.25");
      expect(median([])).to.equal(null);
    });

    it("orders by value and not by text", () => {
      expect(median(["9", "10", "100"])).to.equal("10");
      expect(median(["-9", "-10", "5"])).to.equal("-9");
    });

    it("counts no route as plus infinity, and tells an infinite median as null", () => {
      expect(median(["1", null, "2"])).to.equal("2");
      expect(median(["1", null])).to.equal(null);
      expect(median([null, null, "1"])).to.equal(null);
      expect(median(["1", "2", null, null])).to.equal(null);
    });
  });

  it("grades at the limits, improvements as A and no route as D", () => {
    const limits = {
      A: ["-40", "0", "50"],
      B: ["50.0001", "150"],
      C: ["150.0001", "500"],
      D: ["500.0001", null],
    };
    for (const [grade, impacts] of Object.entries(limits))
      for (const impact of impacts) expect(gradeOf(impact), String(impact)).to.equal(grade);
  });

  forEachEngine((engine) => {
    const db = engine.database();
    afterEach(() => empty(db));
    const liquidityAt = async (now: number) => {
      const [score] = await liquidityScores(db, [ASSET], now);
      const { assetKey: _, ...liquidity } = score as LiquidityScore;
      return liquidity;
    };
    const liquidity = () => liquidityAt(NOW);
    const record = (...samples: ImpactSample[]) => impactsAt(db, NOW, samples);

    it("gives no grade with two samples, and one with three", async () => {
      expect(await liquidity()).to.deep.equal(UNMEASURED);
      await record(sample(NOW - 20, "1"), sample(NOW - 10, "2"));
      expect(await liquidity()).to.include({ grade: null, sampleN: 2, impact10kBps: "1.5" });
      await record(sample(NOW, "60", { source: "later" }));
      expect(await liquidity()).to.deep.equal({
        grade: "A",
        sampleN: 3,
        impact1kBps: "2",
        impact10kBps: "2",
        updatedAt: NOW,
        source: "later",
      });
    });

    it("looks at seven days of this asset alone, and not into the future", async () => {
      await record(
        sample(NOW - LIQUIDITY_WINDOW_SECONDS, "1"),
        sample(NOW - LIQUIDITY_WINDOW_SECONDS + 1, "2"),
        sample(NOW, "3"),
        sample(NOW + 1, "4"),
        sample(NOW, "5", { assetKey: "eip155:1:0xB" }),
      );
      expect(await liquidity()).to.include({ sampleN: 2, impact1kBps: "2.5" });
    });

    it("grades an asset D that had no route most of the time", async () => {
      await record(
        sample(NOW, null, { impact1kBps: "5" }),
        sample(NOW - 1, null, { impact1kBps: "5" }),
        sample(NOW - 2, "5"),
      );
      expect(await liquidity()).to.include({ grade: "D", impact1kBps: "5", impact10kBps: null });
    });

    it("keeps the worse figure of a repeated sample, within a batch and across batches", async () => {
      await record(sample(NOW, "9.5"), sample(NOW, "10"), sample(NOW, "-3"));
      expect((await liquidity()).impact10kBps).to.equal("10");
      await record(sample(NOW, "9"));
      expect((await liquidity()).impact10kBps).to.equal("10");
      await record(sample(NOW, null));
      await record(sample(NOW, "11"));
      expect(await liquidity()).to.include({ sampleN: 1, impact10kBps: null });
    });

    it("refuses a figure that is no number, and stores nothing of that batch", async () => {
      for (const fault of ["", "NaN", "Infinity", "1e5", "0x1", "1,5", " 1", "9999999999999"])
        await failureOf(record(sample(NOW, "1"), sample(NOW - 1, fault)));
      await writeScores(db, [ASSET], NOW);
      expect(await liquidity()).to.deep.equal(UNMEASURED);
    });

    it("stores a week of samples in one call", async () => {
      await record(...Array.from({ length: 2_500 }, (_, index) => sample(NOW - index, String(index))));
      expect(await liquidity()).to.include({ sampleN: 2_500, impact1kBps: "1249.5" });
    });

    it("answers for each asset in the order asked, also for one that nobody measured", async () => {
      await writeScores(db, ["a", "b"], NOW);
      await impactsAt(db, NOW, [impactSample("b", NOW, "60"), impactSample("b", NOW - 1, "70")]);
      const asked = await liquidityScores(db, ["a", "b", "c", "a"], NOW);
      expect(asked.map(({ assetKey, impact10kBps }) => [assetKey, impact10kBps])).to.deep.equal([
        ["a", null],
        ["b", "65"],
        ["c", null],
        ["a", null],
      ]);
    });

    it("knows nothing of an asset whose samples have all left the window, whether a round came since or none", async () => {
      await record(sample(NOW - 5, "10"), sample(NOW - 3, "20"));
      const [last, after] = [NOW - 4 + LIQUIDITY_WINDOW_SECONDS, NOW - 3 + LIQUIDITY_WINDOW_SECONDS];
      expect(await liquidityAt(last)).to.include({ sampleN: 2 });
      expect(await liquidityAt(after)).to.deep.equal(UNMEASURED);
      await writeScores(db, [ASSET], last);
      expect(await liquidityAt(last)).to.include({ sampleN: 1, impact10kBps: "20" });
      await writeScores(db, [ASSET], after);
      expect(await liquidityAt(last)).to.deep.equal(UNMEASURED);
    });

    it("comes to the same liquidity in any order and with any repetition, and it follows from the samples that evidence names", async () => {
      const impact = fc.option(
        fc.integer({ min: -50_000, max: 9_000_000 }).map((value) => (value / 10_000).toFixed(4)),
        { nil: null, freq: 4 },
      );
      const samples = fc.array(
        fc.record({
          assetKey: fc.constant(ASSET),
          // Few moments and sources, so that samples often fall on each other.
          sampledAt: fc.integer({ min: NOW - 6, max: NOW }),
          source: fc.constantFrom("one", "two"),
          session: fc.constantFrom("regular", "closed"),
          impact1kBps: impact,
          impact10kBps: impact,
        }),
        { minLength: 1, maxLength: 14 },
      );
      await fc.assert(
        fc.asyncProperty(inAnyBatches(samples), async ({ list, batches }) => {
          await empty(db);
          await record(...list);
          const [once, rows] = [await liquidity(), await allRows(db)];
          await empty(db);
          for (const batch of batches) await recordImpacts(db, batch, NOW);
          await writeScores(db, [ASSET], NOW);
          expect(await liquidity()).to.deep.equal(once);
          expect(await allRows(db)).to.deep.equal(rows);
          const batch = await newestSamples(db, ASSET, once.updatedAt as number, once.sampleN);
          expect(liquidityOfSamples(batch!)).to.deep.equal(once);
        }),
        { numRuns: 60 },
      );
    });

    it("has a root of its samples until one comes or goes, and then with the next scores", async () => {
      await record(sample(NOW - 9, "10"), sample(NOW - 6, "20"), sample(NOW - 3, null));
      const root = async () => createSampleRoots(db)(ASSET, (await liquidity()) as SampledLiquidity);
      const first = await root();
      expect(first).to.equal(samplesRoot((await newestSamples(db, ASSET, NOW, 3))!));
      // Late: it belongs to the window that was scored.
      const late = sample(NOW - 5, "30");
      await recordImpacts(db, [late], NOW);
      expect(await root()).to.equal(null);
      await writeScores(db, [ASSET], NOW);
      expect(await root()).to.equal(samplesRoot((await newestSamples(db, ASSET, NOW, 4))!));
      const deps = { db, assets: [], now: () => NOW * 1_000 };
      const why = { reason: "a slip", actor: "test" };
      await retract(deps, { ...why, series: `impact/${ASSET}`, from: NOW - 5, to: NOW - 4 });
      expect(await root()).to.equal(first);
      await record(late);
      expect(await root()).to.equal(first);
    });
  });
});

async function empty(db: Database): Promise<void> {
  for (const table of ["impact_samples", "liquidity_scores", "retractions"] as const)
    await db.deleteFrom(table).execute();
}

function allRows(db: Database) {
  return db.selectFrom("impact_samples").selectAll().orderBy("sampled_at").orderBy("source").execute();
}
