/** The latest values of a series, which stand in its row. */
import { expect } from "chai";
import fc from "fast-check";
import { recompute, retract } from "../../../market/collect/repair.ts";
import { clearOld, DEFAULT_RETENTION } from "../../../market/collect/retention.ts";
import { latestPremiums, sampledPremiums } from "../../../market/sampled.ts";
import { type PremiumSample, recordPremiums } from "../../../market/series/premium.ts";
import { newestVolumes, recordVolumes } from "../../../market/series/totals.ts";
import { forEachEngine } from "../../support/database.ts";
import { inAnyBatches, premiumSample, volumeSample } from "../../support/samples.ts";

const NOW = Date.UTC(2026, 10, 25, 15, 20, 30) / 1_000;
const HOUR = 3_600;
/** Starts of hours: this one, and the ones before. */
const START = NOW - (NOW % HOUR);
type Closed = Awaited<ReturnType<typeof sampledPremiums>>[number];
const WHY = { reason: "test", actor: "test" };

describe("the latest values of a series", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    const latest = async (assetKey: string) => (await latestPremiums(db, [assetKey])).get(assetKey);
    const priceOf = async (assetKey: string) => (await latest(assetKey))?.sample.tokenPriceUsd;
    const deps = { db, assets: [], now: () => NOW * 1_000 };
    const retractHours = (assetKey: string, from: number, to: number) =>
      retract(deps, { ...WHY, series: `premium/${assetKey}`, from, to });
    let tokens = 0;
    const newToken = () => `token-${++tokens}`;
    const at = (assetKey: string, sampledAt: number, tokenPriceUsd: string) =>
      premiumSample(assetKey, sampledAt, { tokenPriceUsd });

    it("are of the sample that closes the newest hour, regardless of order and repetition", async () => {
      const samples = fc.array(
        fc.record({
          second: fc.integer({ min: 0, max: 3 }),
          price: fc.constantFrom("100", "101", "102.5"),
          fee: fc.constantFrom("1", "2"),
          source: fc.constantFrom("a", "b"),
        }),
        { minLength: 1, maxLength: 8 },
      );
      await fc.assert(
        fc.asyncProperty(inAnyBatches(samples), async ({ list, batches }) => {
          const [one, other] = [newToken(), newToken()];
          const of = (assetKey: string, some: typeof list): PremiumSample[] =>
            some.map(({ second, price, fee, source }) =>
              premiumSample(assetKey, NOW - 600 + second, {
                tokenPriceUsd: price,
                platformFeeBps: fee,
                source,
              }),
            );
          await recordPremiums(db, of(one, list), NOW);
          for (const batch of batches) await recordPremiums(db, of(other, batch), NOW);
          const [first, second] = [await latest(one), await latest(other)];
          expect(second).to.eql({ ...first, sample: { ...first!.sample, assetKey: other } });
          const hour = await db
            .selectFrom("hour_buckets")
            .innerJoin("series", "series.id", "hour_buckets.series_id")
            .select(["close", "net_edge"])
            .where("name", "=", `premium/${one}`)
            .executeTakeFirstOrThrow();
          expect(Number(first!.premiumBps) * 10_000).to.equal(hour.close);
          expect(Math.round(Number(first!.netEdgeBps) * 10_000)).to.equal(hour.net_edge);
        }),
        { numRuns: 15 },
      );
    });

    it("are of the last of several samples of one second: by their origin, then by what is known, then by their text", async () => {
      const pairs: readonly (readonly [earlier: Partial<PremiumSample>, later: Partial<PremiumSample>])[] = [
        [
          { source: "a", tokenPriceUsd: "150" },
          { source: "b", tokenPriceUsd: "90" },
        ],
        [
          { session: "closed", halted: true },
          { session: "regular", halted: false },
        ],
        [
          { referenceSource: "x", state: "single" },
          { referenceSource: "y", state: "agreed" },
        ],
        [
          { state: "agreed", halted: true },
          { state: "disputed", halted: false },
        ],
        [
          { halted: false, tokenPriceUsd: "150" },
          { halted: true, tokenPriceUsd: "90" },
        ],
        [{ tokenPriceUsd: null }, { tokenPriceUsd: "90" }],
        [{ tokenPriceUsd: "90" }, { tokenPriceUsd: "101" }],
        [{ tokenPriceUsd: "103" }, { tokenPriceUsd: "110" }],
        [{ impact1kBps: null }, { impact1kBps: "400" }],
        [
          { impact1kBps: "5", referenceAgeSeconds: 9 },
          { impact1kBps: "4", referenceAgeSeconds: 8 },
        ],
        [{ referenceAgeSeconds: null }, { referenceAgeSeconds: 0 }],
        [
          { referenceAgeSeconds: 9, witnesses: 3 },
          { referenceAgeSeconds: 10, witnesses: 2 },
        ],
        [{ witnesses: null }, { witnesses: 1 }],
        [
          { witnesses: 9, spreadBps: "3" },
          { witnesses: 10, spreadBps: "2" },
        ],
        [{ spreadBps: null }, { spreadBps: "0" }],
        [{ spreadBps: "9" }, { spreadBps: "10" }],
        [{ inputs: [["price", "a", "1", 9, 1]] }, { inputs: [["price", "a", "2", 8, 1]] }],
      ];
      for (const pair of pairs)
        for (const order of [pair, [...pair].reverse()]) {
          const token = newToken();
          for (const more of order) await recordPremiums(db, [premiumSample(token, START + 9, more)], NOW);
          expect((await latest(token))?.sample, JSON.stringify(pair)).to.deep.include(pair[1]);
          const [{ point, sample }] = (await sampledPremiums(db, token, { from: 0, to: NOW })) as [Closed];
          expect(sample).to.deep.include(pair[1]);
          const { premiumBps, netEdgeBps, spreadBps } = (await latest(token))!;
          expect({ premiumBps, netEdgeBps, spreadBps }).to.deep.equal({
            premiumBps: point.premiumBps,
            netEdgeBps: point.netEdgeBps,
            spreadBps: point.spreadBps,
          });
        }
    });

    it("stay where a late sample is of an earlier hour or second, and follow where it is the last", async () => {
      const token = newToken();
      await recordPremiums(db, [at(token, START + 60, "101")], NOW);
      for (const late of [START + 59, START - HOUR + 3_599, START - 50 * HOUR]) {
        await recordPremiums(db, [at(token, late, "102")], NOW);
        expect(await priceOf(token)).to.equal("101");
      }
      await recordPremiums(db, [at(token, START + 61, "103")], NOW);
      expect(await priceOf(token)).to.equal("103");
    });

    it("are those before where a sample is retracted, or its hour, and none where all are", async () => {
      const token = newToken();
      const samples = [
        at(token, START - HOUR + 10, "100"),
        at(token, START + 10, "101"),
        at(token, START + 20, "102"),
      ];
      await recordPremiums(db, samples, NOW);
      const second = START + 20;
      await retract(deps, { ...WHY, series: `premium/${token}`, from: second, to: second + 1 });
      expect(await priceOf(token)).to.equal("101");
      // An earlier hour changes nothing.
      const earlier = { series: `premium/${token}`, from: START - HOUR, to: START };
      await recompute(deps, earlier);
      expect(await priceOf(token)).to.equal("101");
      await retract(
        { ...deps, now: () => (START + HOUR) * 1_000 },
        { ...WHY, ...earlier, from: START, to: START + HOUR },
      );
      expect(await priceOf(token)).to.equal("100");
      await retractHours(token, START - HOUR, START);
      expect(await latest(token)).to.equal(undefined);
      // What is retracted does not come back.
      await recordPremiums(db, samples, NOW);
      expect(await latest(token)).to.equal(undefined);
    });

    it("stay where raw samples are no longer kept, and are not known where an hour of that time becomes the newest", async () => {
      const token = newToken();
      const [first, second] = [START - 40 * 24 * HOUR, START - 35 * 24 * HOUR];
      const then = second + HOUR;
      await recordPremiums(db, [at(token, first, "100"), at(token, second, "101")], then);
      await clearOld(db, { ...DEFAULT_RETENTION, rawDays: 30 }, NOW);
      expect(await db.selectFrom("raw_samples").selectAll().where("sampled_at", "<", then).execute()).to.eql(
        [],
      );
      expect(await priceOf(token)).to.equal("101");
      await retractHours(token, second - (second % HOUR), second - (second % HOUR) + HOUR);
      expect(await latest(token)).to.equal(undefined);
      await recordPremiums(db, [at(token, START, "102")], NOW);
      expect(await priceOf(token)).to.equal("102");
      await clearOld(db, { ...DEFAULT_RETENTION, hourDays: 1 }, START + 3 * 24 * HOUR);
      expect(await latest(token)).to.equal(undefined);
    });

    it("of a volume are those of the day before where a day is retracted", async () => {
      const assetKey = newToken();
      const today = NOW - (NOW % 86_400);
      await recordVolumes(
        db,
        [
          volumeSample(assetKey, today - 60, { volume24hUsd: "5" }),
          volumeSample(assetKey, today + 60, { volume24hUsd: "6" }),
        ],
        NOW,
      );
      const volume = async () => (await newestVolumes(db, NOW)).get(assetKey)?.volume24hUsd;
      expect(await volume()).to.equal("6");
      const tomorrow = { ...deps, now: () => (today + 86_400) * 1_000 };
      await retract(tomorrow, { ...WHY, series: `volume/${assetKey}`, from: today, to: today + 86_400 });
      expect(await volume()).to.equal("5");
    });
  });
});
