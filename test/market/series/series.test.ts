import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { clearOld, DEFAULT_RETENTION } from "../../../market/collect/retention.ts";
import { basisPoints, premiumPoints } from "../../../market/queries.ts";
import { type BasisSample, recordBases } from "../../../market/series/basis.ts";
import { type PremiumSample, recordPremiums } from "../../../market/series/premium.ts";
import { forEachEngine, rowsOf } from "../../support/database.ts";
import { failureOf } from "../../support/failure.ts";
import { basisSample, premiumSample, premiumsAt, rejections } from "../../support/samples.ts";

const HOUR = 3_600;
const NOW = 1_795_003_200;
const ASSET = "eip155:1:0xA";
const ALL = { from: 0, to: NOW + 10 * HOUR };

const premium = (sampledAt: number, more?: Partial<PremiumSample>) => premiumSample(ASSET, sampledAt, more);
const basis = (sampledAt: number, more?: Partial<BasisSample>) => basisSample("AAPL", sampledAt, more);

describe("series of premium and basis", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    afterEach(() => empty(db));
    const basesAt = (now: number, samples: readonly BasisSample[]) => recordBases(db, samples, now);

    const old = { referenceSource: "other", referenceAgeSeconds: 900, witnesses: 1 };
    const single = { state: "single", spreadBps: null, halted: true } as const;
    it("make a bucket of an hour: the last sample's figures and origin, the extremes, the count", async () => {
      await premiumsAt(db, NOW + HOUR, [
        premium(NOW + 60, { tokenPriceUsd: "100.5" }),
        premium(NOW + 1_800, { tokenPriceUsd: "99", session: "closed", ...old, ...single }),
        premium(NOW + 600, { tokenPriceUsd: "103", source: "second" }),
        premium(NOW + HOUR, { tokenPriceUsd: "100" }),
      ]);
      expect(await premiumPoints(db, ASSET, ALL)).to.deep.equal([
        {
          hour: NOW,
          premiumBps: "-100",
          loBps: "-100",
          hiBps: "300",
          netEdgeBps: "85.5",
          source: "test",
          session: "closed",
          referenceSource: "other",
          referenceAgeSeconds: 900,
          witnesses: 1,
          ...single,
          samples: 3,
        },
        {
          hour: NOW + HOUR,
          premiumBps: "0",
          loBps: "0",
          hiBps: "0",
          netEdgeBps: "-14.5",
          source: "test",
          session: "regular",
          referenceSource: "feed",
          referenceAgeSeconds: 7,
          witnesses: 3,
          state: "agreed",
          spreadBps: "1.5",
          halted: false,
          samples: 1,
        },
      ]);
    });

    it("give basis and annual funding for any interval", async () => {
      await basesAt(NOW + 4 * HOUR, [
        basis(NOW),
        basis(NOW + HOUR, { perpMarkUsd: "99.5", fundingRate: "-0.0001", fundingIntervalHours: 8 }),
        basis(NOW + 2 * HOUR, { perpMarkUsd: null, spotUsd: null, spotSource: null }),
        basis(NOW + 3 * HOUR, { fundingRate: null }),
      ]);
      const points = await basisPoints(db, "AAPL", ALL, "test");
      expect(points.map(({ basisBps, fundingAnnualBps }) => [basisBps, fundingAnnualBps])).to.deep.equal([
        ["100", "547.5"],
        ["-50", "-1095"],
        [null, "547.5"],
        ["100", null],
      ]);
      expect(points[0]).to.deep.equal({
        hour: NOW,
        basisBps: "100",
        loBps: "100",
        hiBps: "100",
        fundingAnnualBps: "547.5",
        source: "test",
        session: "regular",
        referenceSource: "feed",
        referenceAgeSeconds: null,
        witnesses: null,
        state: "agreed",
        spreadBps: "1.5",
        halted: false,
        fundingState: "single",
        samples: 1,
      });
    });

    it("compare the price of a share with the reference, exactly, and round half away from zero once", async () => {
      for (const [tokenPriceUsd, sharesPerToken, referencePriceUsd, impact1kBps, premiumBps, netEdgeBps] of [
        ["1010", "10", "100", "4.5", "100", "-114.5"],
        ["101", "1.0057", "99.97", "3.25", "45.77", "-59.02"],
        ["60.001", "1.0057", "99.97", "-0.5", "-4032.1164", "4022.6164"],
        ["100.0000005", "1", "100", "3.25", "0.0001", "-13.2501"],
        ["99.9999995", "1", "100", "3.25", "-0.0001", "-13.25"],
        ["100.0000005", "1", "100", "-10.5", "0.0001", "0.5"],
      ]) {
        await empty(db);
        const sample = premium(NOW, { tokenPriceUsd, sharesPerToken, referencePriceUsd, impact1kBps });
        await recordPremiums(db, [sample], NOW);
        const [point] = await premiumPoints(db, ASSET, ALL);
        expect([point?.premiumBps, point?.netEdgeBps], tokenPriceUsd).to.deep.equal([premiumBps, netEdgeBps]);
      }
    });

    it("series of premium and basis are null without a reference, and a close without one keeps the extremes of those that had one", async () => {
      await premiumsAt(db, NOW + HOUR, [
        premium(NOW),
        premium(NOW + 1, { referencePriceUsd: null, referenceSource: null }),
        premium(NOW + HOUR, { impact1kBps: null }),
      ]);
      const [hour, next] = await premiumPoints(db, ASSET, ALL);
      expect(hour).to.include({
        premiumBps: null,
        loBps: "100",
        hiBps: "100",
        netEdgeBps: null,
        referenceSource: null,
        samples: 2,
      });
      expect(next).to.include({ premiumBps: "100", netEdgeBps: null });
    });

    it("answer a range from its first second inclusive to its last exclusive, oldest first, of one asset alone", async () => {
      for (const hour of [3, 1, 0, 2]) await recordPremiums(db, [premium(NOW - hour * HOUR)], NOW);
      await recordPremiums(db, [premium(NOW - HOUR, { assetKey: "other" })], NOW);
      const hours = async (from: number, to: number) =>
        (await premiumPoints(db, ASSET, { from, to })).map(({ hour }) => (hour - NOW) / HOUR);
      expect(await hours(NOW - 3 * HOUR, NOW + 1)).to.deep.equal([-3, -2, -1, 0]);
      expect(await hours(NOW - 3 * HOUR + 1, NOW)).to.deep.equal([-2, -1]);
      expect(await premiumPoints(db, "nobody", ALL)).to.deep.equal([]);
      expect(await basisPoints(db, ASSET, ALL, "test")).to.deep.equal([]);
    });

    it("refuse a sample of the wrong shape and store nothing of its batch", async () => {
      const prices = ["0", "1e3", "-1", "NaN"].map((tokenPriceUsd) => ({ tokenPriceUsd }));
      const others = [{ sharesPerToken: "0" }, { referencePriceUsd: "0.00" }, { impact1kBps: "many" }];
      for (const fault of [...prices, ...others, { sampledAt: NOW + 0.5 }, { source: "" }]) {
        const { name } = await failureOf(recordPremiums(db, [premium(NOW), premium(NOW, fault)], NOW));
        expect(name, JSON.stringify(fault)).to.equal("ZodError");
      }
      expect(await premiumPoints(db, ASSET, ALL)).to.deep.equal([]);
    });

    it("keep aside what cannot be true, with the reason, and go on with the rest", async () => {
      const recorded = await premiumsAt(db, NOW, [
        premium(NOW),
        premium(NOW + 1, { tokenPriceUsd: "101000" }),
        premium(NOW + 2, { tokenPriceUsd: "0.101" }),
        premium(NOW + 121),
      ]);
      expect(recorded.stored).to.equal(1);
      const more = await basesAt(NOW, [
        basis(NOW, { perpMarkUsd: "201" }),
        basis(NOW, { fundingRate: "1.5" }),
        basis(NOW + 7_200),
      ]);
      expect(more.stored).to.equal(0);
      expect(await premiumPoints(db, ASSET, ALL)).to.have.length(1);
      expect(await basisPoints(db, "AAPL", ALL, "test")).to.deep.equal([]);
      const kept = await rejections(db);
      expect(kept.map(({ kind, subject, reason }) => `${kind} ${subject} ${reason}`)).to.have.members([
        `premium ${ASSET} far_from_reference`,
        `premium ${ASSET} far_from_reference`,
        `premium ${ASSET} clock_ahead`,
        "basis AAPL far_from_spot",
        "basis AAPL absurd_funding",
        "basis AAPL clock_ahead",
      ]);
      const far = kept.find(({ reason }) => reason === "far_from_spot");
      expect(JSON.parse(far!.sample)).to.include({ perpMarkUsd: "201" });
      expect(kept.every(({ rejected_at }) => rejected_at === NOW)).to.equal(true);
    });

    it("take a price of exactly twice the reference, which is the limit", async () => {
      await premiumsAt(db, NOW, [
        premium(NOW, { tokenPriceUsd: "200" }),
        premium(NOW + 1, { tokenPriceUsd: "50" }),
      ]);
      expect((await premiumPoints(db, ASSET, ALL))[0]).to.include({ loBps: "-5000", hiBps: "10000" });
    });

    it("store more samples in one call than fit into one statement", async () => {
      const samples = Array.from({ length: 2_500 }, (_, index) => premium(NOW - index * HOUR));
      await recordPremiums(db, samples, NOW);
      expect(await premiumPoints(db, ASSET, ALL)).to.have.length(2_500);
    });

    it("keep their hours where raw samples were cleared, and reject samples of that time with the reason", async () => {
      const list = [premium(NOW), premium(NOW + 60, { tokenPriceUsd: "99" }), premium(NOW + HOUR)];
      const later = NOW + 30 * 86_400 + HOUR;
      await recordPremiums(db, list, later);
      const before = await premiumPoints(db, ASSET, ALL);
      await clearOld(db, DEFAULT_RETENTION, later);
      // The whole hour that began thirty days before is kept.
      expect((await rowsOf(db, "raw_samples")).map(({ sampled_at }) => sampled_at)).to.deep.equal([
        NOW + HOUR,
      ]);
      const repeated = await recordPremiums(db, [...list].reverse(), later);
      expect(repeated.stored).to.equal(1);
      const late = [premium(NOW + 90, { tokenPriceUsd: "150" }), premium(NOW - HOUR)];
      expect((await recordPremiums(db, late, later)).stored).to.equal(0);
      expect(await premiumPoints(db, ASSET, ALL)).to.deep.equal(before);
      const kept = await rejections(db);
      expect(kept.map(({ kind, subject, reason }) => `${kind} ${subject} ${reason}`)).to.deep.equal(
        Array(4).fill(`premium ${ASSET} too_old`),
      );
      const seconds = kept.map(({ sample }) => JSON.parse(sample).sampledAt - NOW);
      expect(seconds).to.have.members([0, 60, 90, -HOUR]);
    });

    it("cost no more for a sample when there is a long history", async () => {
      const history = Array.from({ length: 3_000 }, (_, index) => premium(NOW - (index + 10) * HOUR));
      await recordPremiums(db, history, NOW);
      const touched = async (sample: PremiumSample) => {
        const before = await db.selectFrom("hour_buckets").selectAll().orderBy("hour").execute();
        await recordPremiums(db, [sample], NOW);
        const after = await db.selectFrom("hour_buckets").selectAll().orderBy("hour").execute();
        const known = new Set(before.map((row) => JSON.stringify(row)));
        return after.filter((row) => !known.has(JSON.stringify(row))).length;
      };
      expect(await touched(premium(NOW))).to.equal(1);
      expect(await touched(premium(NOW - 1_000 * HOUR + 1, { tokenPriceUsd: "102" }))).to.equal(1);
    });
  });
});

async function empty(db: Database): Promise<void> {
  await db.deleteFrom("hour_buckets").execute();
  await db.deleteFrom("raw_samples").execute();
  await db.deleteFrom("rejected_samples").execute();
  await db.updateTable("market_state").set({ value: 0 }).execute();
}
