import { expect } from "chai";
import fc from "fast-check";
import { liquidityOf } from "../../market/series/liquidity.ts";
import { type PremiumSample, recordPremiums } from "../../market/series/premium.ts";
import { recordImpactSamples } from "../../market/series/samples.ts";
import { impactHistory, pricePoints } from "../../market/tokenHistory.ts";
import { forEachEngine } from "../support/database.ts";
import { impactSample, premiumSample, premiumsAt } from "../support/samples.ts";

const HOUR = 3_600;
const DAY = 86_400;
/** 10:20 of a UTC day. */
const NOW = Date.UTC(2025, 10, 14, 10, 20) / 1000;
const THIS_HOUR = NOW - (NOW % HOUR);
const RANGE = { from: THIS_HOUR - 30 * DAY + HOUR, to: THIS_HOUR + HOUR };

const premium = (assetKey: string, sampledAt: number, more: Partial<PremiumSample> = {}) =>
  premiumSample(assetKey, sampledAt, { tokenPriceUsd: "100", ...more });
const impact = (assetKey: string, sampledAt: number, bps: string | null) =>
  impactSample(assetKey, sampledAt, bps, {
    impact10kBps: bps === null ? null : (Number(bps) * 10).toFixed(4),
  });

describe("a token over time", () => {
  forEachEngine((engine) => {
    const db = engine.database();

    it("tells of each hour the prices of the sample that closes it, per token and per share", async () => {
      await premiumsAt(db, NOW, [
        premium("test:prices", THIS_HOUR - 2 * HOUR + 50, { tokenPriceUsd: "300" }),
        premium("test:prices", THIS_HOUR - 2 * HOUR + 60, { tokenPriceUsd: "306", sharesPerToken: "3" }),
        // Of one second: the later source closes the hour.
        premium("test:prices", THIS_HOUR + 60, { source: "a", tokenPriceUsd: "101" }),
        premium("test:prices", THIS_HOUR + 60, { source: "b", tokenPriceUsd: "35", sharesPerToken: "0.3" }),
      ]);
      expect(await pricePoints(db, "test:prices", RANGE)).to.deep.equal([
        {
          hour: THIS_HOUR - 2 * HOUR,
          tokenUsd: "306",
          sharesPerToken: "3",
          perShareUsd: "102",
          referenceUsd: "100",
        },
        {
          hour: THIS_HOUR,
          tokenUsd: "35",
          sharesPerToken: "0.3",
          perShareUsd: "116.666666666667",
          referenceUsd: "100",
        },
      ]);
    });

    it("leaves out hours whose samples are not kept any more, and those outside of the range", async () => {
      const before = [RANGE.from - 1, RANGE.from, THIS_HOUR].map((at) => premium("test:cleared", at));
      await recordPremiums(db, before, NOW);
      const hours = async () => (await pricePoints(db, "test:cleared", RANGE)).map(({ hour }) => hour);
      expect(await hours()).to.deep.equal([RANGE.from, THIS_HOUR]);
      await db
        .deleteFrom("raw_samples")
        .where("sampled_at", "<", NOW - 86_400)
        .execute();
      expect(await hours()).to.deep.equal([THIS_HOUR]);
    });

    it("tells of each hour what its last measurement found", async () => {
      const key = "test:hours";
      await recordImpactSamples(db, [
        impact(key, THIS_HOUR - HOUR, "9"),
        impact(key, THIS_HOUR + 1, "3"),
        { ...impact(key, THIS_HOUR + 2, null), session: "closed", source: "other" },
        // Of the future.
        impact(key, NOW + 1, "1"),
      ]);
      const { hours } = await impactHistory(db, key, RANGE, NOW);
      expect(hours).to.deep.equal([
        { hour: THIS_HOUR - HOUR, impact1kBps: "9", impact10kBps: "90", source: "test", session: "regular" },
        { hour: THIS_HOUR, impact1kBps: null, impact10kBps: null, source: "other", session: "closed" },
      ]);
    });

    it("grades each day as the score did when it ended, for any samples", async () => {
      let token = 0;
      // The edge of the window is where a day more or less shows.
      const hoursAgo = fc.oneof(fc.integer({ min: 0, max: 40 * 24 }), fc.constant(7 * 24));
      const bps = fc.option(
        fc.integer({ min: -50_000, max: 6_000_000 }).map((units) => String(units / 10_000)),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(hoursAgo, bps), { maxLength: 60 }), async (measured) => {
          const key = `test:grades-${++token}`;
          const samples = measured.map(([hours, text]) => impact(key, NOW - hours * HOUR, text));
          await recordImpactSamples(db, samples);
          const { grades } = await impactHistory(db, key, RANGE, NOW);
          for (const { at, ...told } of grades) {
            const { grade, sampleN, impact1kBps, impact10kBps } = await liquidityOf(db, key, at);
            expect(told).to.deep.equal({ grade, sampleN, impact1kBps, impact10kBps });
          }
          const moments = grades.map(({ at }) => at);
          expect(moments.every((at) => at === NOW || (at + 1) % DAY === 0)).to.equal(true);
          if (measured.some(([hours]) => hours < 7 * 24)) expect(moments.at(-1)).to.equal(NOW);
        }),
        { numRuns: 25 },
      );
    });
  });
});
