import { expect } from "chai";
import fc from "fast-check";
import { LIQUIDITY_WINDOW_SECONDS } from "../../../attestor/evidence/liquidity.ts";
import { openDatabase } from "../../../database/open.ts";
import { liquidityScores } from "../../../market/queries.ts";
import { liquidityOf } from "../../../market/series/liquidity.ts";
import { recordImpactSamples } from "../../../market/series/impacts.ts";
import { forEachEngine } from "../../support/database.ts";
import { impactSample as sample, UNMEASURED } from "../../support/samples.ts";
import { watching } from "../../support/watching.ts";

const NOW = 1_795_000_000;

describe("kept liquidity scores", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    afterEach(async () => {
      await db.deleteFrom("impact_samples").execute();
      await db.deleteFrom("liquidity_scores").execute();
    });

    it("answer for each asset in the order asked, also for one that nobody measured", async () => {
      await recordImpactSamples(db, [sample("b", NOW, "60"), sample("b", NOW - 1, "70")]);
      expect(await liquidityScores(db, ["a", "b", "a"], NOW)).to.deep.equal([
        { assetKey: "a", ...UNMEASURED },
        {
          assetKey: "b",
          grade: null,
          sampleN: 2,
          impact1kBps: "65",
          impact10kBps: "65",
          updatedAt: NOW,
          source: "test",
        },
        { assetKey: "a", ...UNMEASURED },
      ]);
    });

    it("kept liquidity scores are those of the samples at any time, in any order of recording and asking", async () => {
      const step = fc.oneof(
        fc.record({
          record: fc.array(
            fc.tuple(
              fc.constantFrom("a", "b"),
              fc.integer({ min: -10, max: 10 }).map((offset) => NOW + offset),
              fc.constantFrom("10", "60", "200", "-3", null),
            ),
            { minLength: 1, maxLength: 3 },
          ),
        }),
        fc.record({
          ask: fc.oneof(
            fc.integer({ min: -12, max: 12 }).map((offset) => NOW + offset),
            fc.integer({ min: -12, max: 12 }).map((offset) => NOW + LIQUIDITY_WINDOW_SECONDS + offset),
          ),
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
          await db.deleteFrom("impact_samples").execute();
          await db.deleteFrom("liquidity_scores").execute();
          for (const each of steps)
            if ("record" in each)
              await recordImpactSamples(
                db,
                each.record.map((one) => sample(...one)),
              );
            else
              for (const score of await liquidityScores(db, ["a", "b"], each.ask)) {
                const { assetKey, ...liquidity } = score;
                expect(liquidity).to.deep.equal(await liquidityOf(db, assetKey, each.ask));
              }
        }),
        { numRuns: 80 },
      );
    });

    it("kept liquidity scores do not read the samples again while nothing can have changed", async () => {
      await recordImpactSamples(db, [sample("a", NOW - 10, "60"), sample("a", NOW, "70")]);
      const first = await liquidityScores(db, ["a"], NOW);
      // Behind the recorder's back: who reads the samples again would see it.
      await db.deleteFrom("impact_samples").execute();
      expect(await liquidityScores(db, ["a"], NOW + LIQUIDITY_WINDOW_SECONDS - 11)).to.deep.equal(first);
      expect((await liquidityScores(db, ["a"], NOW + LIQUIDITY_WINDOW_SECONDS - 10))[0]).to.include({
        sampleN: 0,
      });
    });

    it("kept liquidity scores are not kept when a sample was recorded while they were made", async () => {
      const url = await engine.createUrl();
      await using recorder = openDatabase(url);
      await using reader = openDatabase(url);
      await recordImpactSamples(recorder, [sample("a", NOW - 5, "10")]);
      let meanwhile = async () => recordImpactSamples(recorder, [sample("a", NOW - 4, "30")]);
      const slow = watching(undefined, async ({ result: { rows } }) => {
        // The samples were read, the score is not written yet.
        if (!rows.some((row) => "impact1kBps" in row)) return;
        const record = meanwhile;
        meanwhile = async () => {};
        await record();
      });
      const asked = await liquidityScores(reader.withPlugin(slow), ["a"], NOW);
      expect(asked[0]).to.include({ sampleN: 1 });
      expect((await liquidityScores(reader, ["a"], NOW))[0]).to.include({ sampleN: 2, impact10kBps: "20" });
    });

    it("kept liquidity scores are exact for samples that were recorded at once", async () => {
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          recordImpactSamples(db, [sample("a", NOW - index, String(index * 10))]).then(() =>
            liquidityScores(db, ["a"], NOW),
          ),
        ),
      );
      expect((await liquidityScores(db, ["a"], NOW))[0]).to.include({ sampleN: 12, impact10kBps: "55" });
    });
  });
});
