import { expect } from "chai";
import fc from "fast-check";
import { gradeOf, LIQUIDITY_WINDOW_SECONDS } from "../../../attestor/evidence/liquidity.ts";
import { medianImpact as median } from "../../../attestor/evidence/samples.ts";
import type { Database } from "../../../database/open.ts";
import { liquidityOf } from "../../../market/series/liquidity.ts";
import { type ImpactSample, recordImpactSamples } from "../../../market/series/impacts.ts";
import { forEachEngine } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { impactSample, inAnyBatches, UNMEASURED } from "../../support/samples.ts";

const NOW = 1_795_000_000;

const ASSET = "eip155:1:0xA";
const sample = (sampledAt: number, impact: string | null, more?: Partial<ImpactSample>) =>
  impactSample(ASSET, sampledAt, impact, more);

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
    afterEach(() => db.deleteFrom("impact_samples").execute());

    it("knows no liquidity without samples", async () => {
      expect(await liquidityOf(db, ASSET, NOW)).to.deep.equal(UNMEASURED);
    });

    it("gives no grade with two samples, and one with three", async () => {
      await recordImpactSamples(db, [sample(NOW - 20, "1"), sample(NOW - 10, "2")]);
      expect(await liquidityOf(db, ASSET, NOW)).to.include({ grade: null, sampleN: 2, impact10kBps: "1.5" });
      await recordImpactSamples(db, [sample(NOW, "60", { source: "later" })]);
      expect(await liquidityOf(db, ASSET, NOW)).to.deep.equal({
        grade: "A",
        sampleN: 3,
        impact1kBps: "2",
        impact10kBps: "2",
        updatedAt: NOW,
        source: "later",
      });
    });

    it("looks at seven days of this asset alone, and not into the future", async () => {
      await recordImpactSamples(db, [
        sample(NOW - LIQUIDITY_WINDOW_SECONDS, "1"),
        sample(NOW - LIQUIDITY_WINDOW_SECONDS + 1, "2"),
        sample(NOW, "3"),
        sample(NOW + 1, "4"),
        sample(NOW, "5", { assetKey: "eip155:1:0xB" }),
      ]);
      expect(await liquidityOf(db, ASSET, NOW)).to.include({ sampleN: 2, impact1kBps: "2.5" });
    });

    it("grades an asset D that had no route most of the time", async () => {
      await recordImpactSamples(db, [
        sample(NOW, null, { impact1kBps: "5" }),
        sample(NOW - 1, null, { impact1kBps: "5" }),
        sample(NOW - 2, "5"),
      ]);
      const found = await liquidityOf(db, ASSET, NOW);
      expect(found).to.include({ grade: "D", impact1kBps: "5", impact10kBps: null });
    });

    it("keeps the worse figure of a repeated sample, within a batch and across batches", async () => {
      await recordImpactSamples(db, [sample(NOW, "9.5"), sample(NOW, "10"), sample(NOW, "-3")]);
      expect((await liquidityOf(db, ASSET, NOW)).impact10kBps).to.equal("10");
      await recordImpactSamples(db, [sample(NOW, "9")]);
      expect((await liquidityOf(db, ASSET, NOW)).impact10kBps).to.equal("10");
      await recordImpactSamples(db, [sample(NOW, null)]);
      await recordImpactSamples(db, [sample(NOW, "11")]);
      expect(await liquidityOf(db, ASSET, NOW)).to.include({ sampleN: 1, impact10kBps: null });
    });

    it("refuses a figure that is no number, and stores nothing of that batch", async () => {
      for (const fault of ["", "NaN", "Infinity", "1e5", "0x1", "1,5", " 1", "9999999999999"])
        await failureOf(recordImpactSamples(db, [sample(NOW, "1"), sample(NOW - 1, fault)]));
      expect((await liquidityOf(db, ASSET, NOW)).sampleN).to.equal(0);
    });

    it("stores more samples in one call than fit into one statement", async () => {
      await recordImpactSamples(
        db,
        Array.from({ length: 2_500 }, (_, index) => sample(NOW - index, String(index))),
      );
      expect(await liquidityOf(db, ASSET, NOW)).to.include({ sampleN: 2_500, impact1kBps: "1249.5" });
    });

    it("comes to the same liquidity in any order and with any repetition", async () => {
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
          await db.deleteFrom("impact_samples").execute();
          await recordImpactSamples(db, list);
          const [once, rows] = [await liquidityOf(db, ASSET, NOW), await allRows(db)];
          await db.deleteFrom("impact_samples").execute();
          for (const batch of batches) await recordImpactSamples(db, batch);
          expect(await liquidityOf(db, ASSET, NOW)).to.deep.equal(once);
          expect(await allRows(db)).to.deep.equal(rows);
        }),
        { numRuns: 60 },
      );
    });
  });
});

function allRows(db: Database) {
  return db.selectFrom("impact_samples").selectAll().orderBy("sampled_at").orderBy("source").execute();
}
