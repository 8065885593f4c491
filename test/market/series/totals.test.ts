import { expect } from "chai";
import fc from "fast-check";
import { clearOld, DEFAULT_RETENTION } from "../../../market/collect/retention.ts";
import { dailyTotals, liveTotals } from "../../../market/queries.ts";
import { closeDays, recordVolumes, type VolumeSample } from "../../../market/series/totals.ts";
import { forEachEngine } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { inAnyBatches, rejections, volumeSample as volume } from "../../support/samples.ts";

/** Midnight, UTC. */
const MIDNIGHT = Date.parse("2026-11-20T00:00:00Z") / 1_000;
const DAY = 86_400;
const ASSETS = [
  { assetKey: "a", issuer: "xstocks", chain: "solana" },
  { assetKey: "b", issuer: "xstocks", chain: "bnb" },
  { assetKey: "c", issuer: "ondo", chain: "bnb" },
  { assetKey: "silent", issuer: "bstocks", chain: "bnb" },
];

describe("volume, liquidity and daily totals", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    const volumesAt = (now: number, samples: readonly VolumeSample[]) => recordVolumes(db, samples, now);
    afterEach(async () => {
      for (const table of ["volume_days", "daily_totals", "rejected_samples"] as const)
        await db.deleteFrom(table).execute();
    });
    const all = () => dailyTotals(db, "2000-01-01", "2100-01-01");

    it("close a day at UTC midnight for all, every issuer and every chain that has data", async () => {
      await volumesAt(MIDNIGHT, [
        volume("a", MIDNIGHT - 300, { volume24hUsd: "0.1", liquidityUsd: "5" }),
        volume("b", MIDNIGHT - 300, { volume24hUsd: "0.2", liquidityUsd: "6.5" }),
        volume("c", MIDNIGHT - 1, { volume24hUsd: "10", liquidityUsd: "7" }),
        volume("delisted", MIDNIGHT - 1),
      ]);
      expect(await closeDays(db, ASSETS, MIDNIGHT - 1)).to.deep.equal([]);
      expect(await closeDays(db, ASSETS, MIDNIGHT)).to.deep.equal(["2026-11-19"]);
      const day = "2026-11-19";
      expect(await all()).to.deep.equal([
        { day, scope: "all", volumeUsd: "10.3", liquidityUsd: "18.5", count: 3, expected: 3 },
        { day, scope: "chain:bnb", volumeUsd: "10.2", liquidityUsd: "13.5", count: 2, expected: 2 },
        { day, scope: "chain:solana", volumeUsd: "0.1", liquidityUsd: "5", count: 1, expected: 1 },
        { day, scope: "issuer:ondo", volumeUsd: "10", liquidityUsd: "7", count: 1, expected: 1 },
        { day, scope: "issuer:xstocks", volumeUsd: "0.3", liquidityUsd: "11.5", count: 2, expected: 2 },
      ]);
    });

    it("sum what no binary fraction holds, exactly", async () => {
      const samples = ["a", "b", "c"].map((assetKey) =>
        volume(assetKey, MIDNIGHT - 1, { volume24hUsd: "123456789012.000000001", liquidityUsd: "0.1" }),
      );
      await recordVolumes(db, samples, MIDNIGHT);
      await closeDays(db, ASSETS, MIDNIGHT);
      expect((await all())[0]).to.include({ volumeUsd: "370370367036.000000003", liquidityUsd: "0.3" });
    });

    it("count a token only where both figures are known, and never take the unknown for 0", async () => {
      await volumesAt(MIDNIGHT, [
        volume("a", MIDNIGHT - 1, { volume24hUsd: null }),
        volume("b", MIDNIGHT - 1, { liquidityUsd: null }),
        volume("c", MIDNIGHT - 1, { volume24hUsd: "0", liquidityUsd: "0" }),
      ]);
      await closeDays(db, ASSETS, MIDNIGHT);
      expect((await all()).map(({ scope, count }) => `${scope} ${count}`)).to.deep.equal([
        "all 1",
        "chain:bnb 1",
        "issuer:ondo 1",
      ]);
    });

    it("never invent a day: one without a sample in its last hour stays absent", async () => {
      await volumesAt(MIDNIGHT, [
        volume("a", MIDNIGHT - 3 * DAY - 10),
        volume("a", MIDNIGHT - 2 * DAY - 3_601),
        volume("a", MIDNIGHT - 3_600),
      ]);
      await closeDays(db, ASSETS, MIDNIGHT + 5 * 3_600);
      expect((await all()).map(({ day }) => day)).to.deep.equal([
        "2026-11-16",
        "2026-11-16",
        "2026-11-16",
        "2026-11-19",
        "2026-11-19",
        "2026-11-19",
      ]);
    });

    it("take samples that come late, whenever they come, and leave the day alone without any", async () => {
      await recordVolumes(db, [volume("a", MIDNIGHT - 600)], MIDNIGHT);
      await closeDays(db, ASSETS, MIDNIGHT);
      await recordVolumes(db, [volume("a", MIDNIGHT - 60, { volume24hUsd: "7" })], MIDNIGHT + 60);
      expect(await closeDays(db, ASSETS, MIDNIGHT + 60)).to.deep.equal(["2026-11-19"]);
      expect((await all())[0]).to.include({ volumeUsd: "7" });
      await recordVolumes(db, [volume("a", MIDNIGHT - 30, { volume24hUsd: "8" })], MIDNIGHT + 40 * 3_600);
      expect(await closeDays(db, ASSETS, MIDNIGHT + 40 * 3_600)).to.deep.equal(["2026-11-19"]);
      expect((await all())[0]).to.include({ volumeUsd: "8" });
      // What was known already is no late sample.
      await recordVolumes(db, [volume("a", MIDNIGHT - 600)], MIDNIGHT + 41 * 3_600);
      expect(await closeDays(db, ASSETS, MIDNIGHT + 41 * 3_600)).to.deep.equal([]);
    });

    it("say how many tokens should have counted where a provider was down at midnight, and correct it", async () => {
      const yesterday = ["a", "b", "c"].map((assetKey) => volume(assetKey, MIDNIGHT - DAY - 60));
      await recordVolumes(db, yesterday, MIDNIGHT - DAY);
      await recordVolumes(db, [volume("b", MIDNIGHT - 5 * 3_600), volume("a", MIDNIGHT - 60)], MIDNIGHT);
      await closeDays(db, ASSETS, MIDNIGHT);
      const day = "2026-11-19";
      const ofDay = async () => (await all()).filter((row) => row.day === day);
      expect(await ofDay()).to.deep.equal([
        { day, scope: "all", volumeUsd: null, liquidityUsd: null, count: 1, expected: 3 },
        { day, scope: "chain:bnb", volumeUsd: null, liquidityUsd: null, count: 0, expected: 2 },
        { day, scope: "chain:solana", volumeUsd: "100", liquidityUsd: "1000", count: 1, expected: 1 },
        { day, scope: "issuer:ondo", volumeUsd: null, liquidityUsd: null, count: 0, expected: 1 },
        { day, scope: "issuer:xstocks", volumeUsd: null, liquidityUsd: null, count: 1, expected: 2 },
      ]);
      await recordVolumes(db, [volume("b", MIDNIGHT - 20), volume("c", MIDNIGHT - 20)], MIDNIGHT + 9_000);
      await closeDays(db, ASSETS, MIDNIGHT + 9_000);
      expect((await ofDay())[0]).to.include({ volumeUsd: "300", count: 3, expected: 3 });
    });

    it("volume, liquidity and daily totals do not look whole where a provider stays down: who had data in the seven days before is missed", async () => {
      const all3 = ["a", "b", "c"].map((assetKey) => volume(assetKey, MIDNIGHT - DAY - 60));
      await recordVolumes(db, all3, MIDNIGHT - DAY);
      for (let after = 0; after < 8; after += 1)
        await recordVolumes(db, [volume("a", MIDNIGHT + after * DAY - 60)], MIDNIGHT + after * DAY);
      for (let after = 0; after < 8; after += 1) await closeDays(db, ASSETS, MIDNIGHT + after * DAY);
      const whole = (await all()).filter(({ scope }) => scope === "all");
      expect(whole.map(({ count, expected }) => [count, expected])).to.deep.equal([
        [3, 3],
        ...Array.from({ length: 7 }, () => [1, 3]),
        [1, 1],
      ]);
    });

    it("are not known where a figure is disputed, however long it lasts, and are again when it is agreed on", async () => {
      const sample = (assetKey: string, at: number, volume24hUsd: string | null) =>
        volume(assetKey, at, { volume24hUsd, state: volume24hUsd === null ? "disputed" : "single" });
      const live = async (at: number) => (await liveTotals(db, at)).volume24hUsd;
      await recordVolumes(db, [sample("a", MIDNIGHT - 600, "1"), sample("b", MIDNIGHT - 600, "2")], MIDNIGHT);
      expect(await live(MIDNIGHT - 600)).to.equal("3");
      for (let at = MIDNIGHT - 300; at < MIDNIGHT + 9 * DAY; at += DAY) {
        // A disputed figure is null.
        await recordVolumes(db, [sample("a", at, "1"), sample("b", at, null)], at);
        expect(await live(at)).to.equal(null);
        expect(await closeDays(db, ASSETS, at + 300)).to.have.length(1);
        const [whole, ofBnb, ofSolana] = (await all()).slice(-4);
        expect(whole).to.include({
          scope: "all",
          volumeUsd: null,
          liquidityUsd: null,
          count: 1,
          expected: 2,
        });
        expect(ofBnb).to.include({ scope: "chain:bnb", volumeUsd: null, count: 0, expected: 1 });
        expect(ofSolana).to.include({ scope: "chain:solana", volumeUsd: "1", count: 1, expected: 1 });
      }
      const end = MIDNIGHT + 9 * DAY;
      await recordVolumes(db, [sample("b", end - 200, "2")], end);
      expect(await live(end - 200)).to.equal("3");
      expect(await closeDays(db, ASSETS, end)).to.deep.equal(["2026-11-28"]);
      expect((await all()).at(-4)).to.include({ scope: "all", volumeUsd: "3", count: 2, expected: 2 });
    });

    it("are written once a day: later rounds leave the day alone", async () => {
      await recordVolumes(db, [volume("a", MIDNIGHT - 60)], MIDNIGHT);
      expect(await closeDays(db, ASSETS, MIDNIGHT)).to.deep.equal(["2026-11-19"]);
      await recordVolumes(db, [volume("a", MIDNIGHT + 60)], MIDNIGHT + 60);
      expect(await closeDays(db, ASSETS, MIDNIGHT + 60)).to.deep.equal([]);
    });

    it("tell the live figures of the newest samples, and null when they are old", async () => {
      expect(await liveTotals(db, MIDNIGHT)).to.deep.equal({
        volume24hUsd: null,
        liquidityUsd: null,
        tokensWithDexData: 0,
        expected: 0,
      });
      await volumesAt(MIDNIGHT + 60, [
        volume("a", MIDNIGHT - 60, { volume24hUsd: "1" }),
        volume("a", MIDNIGHT + 60, { volume24hUsd: "2" }),
        volume("b", MIDNIGHT - 60, { volume24hUsd: "4.5" }),
        volume("c", MIDNIGHT - 3_600),
        volume("silent", MIDNIGHT, { liquidityUsd: null }),
        volume("paused", MIDNIGHT - 60),
        volume("paused", MIDNIGHT + 60, { halted: true }),
        volume("gone", MIDNIGHT - 8 * DAY),
      ]);
      const lacking = { volume24hUsd: null, liquidityUsd: null, expected: 3 };
      expect(await liveTotals(db, MIDNIGHT + 60)).to.deep.equal({ ...lacking, tokensWithDexData: 2 });
      await recordVolumes(db, [volume("c", MIDNIGHT - 60, { volume24hUsd: "8" })], MIDNIGHT + 60);
      expect(await liveTotals(db, MIDNIGHT + 60)).to.deep.equal({
        volume24hUsd: "14.5",
        liquidityUsd: "3000",
        tokensWithDexData: 3,
        expected: 3,
      });
      expect(await liveTotals(db, MIDNIGHT + 60 + 3_600)).to.deep.equal({ ...lacking, tokensWithDexData: 0 });
    });

    it("keep aside what cannot be true", async () => {
      const { stored } = await volumesAt(MIDNIGHT, [
        volume("a", MIDNIGHT + 121),
        volume("a", MIDNIGHT, { volume24hUsd: "1000000000001" }),
        volume("a", MIDNIGHT, { liquidityUsd: "1000000000001" }),
        volume("a", MIDNIGHT, { liquidityUsd: "1000000000000" }),
      ]);
      expect(stored).to.equal(1);
      expect((await rejections(db)).map(({ reason }) => reason)).to.have.members([
        "clock_ahead",
        "absurd_amount",
        "absurd_amount",
      ]);
    });

    it("come to the same days in any order, with any repetition and in any batches", async () => {
      const anyVolume = fc.record({
        assetKey: fc.constantFrom("a", "c"),
        sampledAt: fc.integer({ min: MIDNIGHT - 3, max: MIDNIGHT + 3 }),
        source: fc.constantFrom("one", "two"),
        session: fc.constantFrom("regular", "closed"),
        volume24hUsd: fc.constantFrom("1", "2", null),
        liquidityUsd: fc.constantFrom("1", "2", null),
        state: fc.constantFrom("single", "disputed", null),
        halted: fc.boolean(),
      });
      const cases = inAnyBatches(fc.array(anyVolume, { minLength: 1, maxLength: 12 }));
      const rows = () =>
        db.selectFrom("volume_days").selectAll().orderBy("day").orderBy("asset_key").execute();
      await fc.assert(
        fc.asyncProperty(cases, async ({ list, batches }) => {
          await db.deleteFrom("volume_days").execute();
          await recordVolumes(db, list, MIDNIGHT);
          const once = await rows();
          await db.deleteFrom("volume_days").execute();
          for (const batch of batches) await recordVolumes(db, batch, MIDNIGHT);
          expect(await rows()).to.deep.equal(once);
        }),
        { numRuns: 60 },
      );
    });

    it("keep days for as long as the retention says", async () => {
      const samples = [1, 29, 40].map((days) => volume("a", MIDNIGHT - days * DAY - 1));
      await recordVolumes(db, samples, MIDNIGHT);
      for (const { sampledAt } of samples) await closeDays(db, ASSETS, sampledAt + 1);
      await clearOld(db, DEFAULT_RETENTION, MIDNIGHT);
      expect(await db.selectFrom("volume_days").select("day").execute()).to.have.length(2);
      expect(new Set((await all()).map(({ day }) => day)).size).to.equal(3);
      await clearOld(db, { ...DEFAULT_RETENTION, totalDays: 35 }, MIDNIGHT);
      expect(new Set((await all()).map(({ day }) => day)).size).to.equal(2);
      for (const wrong of [{ impactDays: 7 }, { volumeDays: 7 }, { hourDays: 0 }]) {
        await failureOf(clearOld(db, { ...DEFAULT_RETENTION, ...wrong }, MIDNIGHT), RangeError);
      }
    });
  });
});
