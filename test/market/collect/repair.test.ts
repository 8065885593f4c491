import { userInfo } from "node:os";
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { basisPoints, dailyTotals, liquidityScores, premiumPoints } from "../../../market/queries.ts";
import { recordPremiums } from "../../../market/series/premium.ts";
import { closeDays, recordVolumes } from "../../../market/series/totals.ts";
import { forEachEngine } from "../../support/database.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { impactSample, impactsAt, premiumSample, premiumsAt, volumeSample } from "../../support/samples.ts";
import { assayIn } from "../../support/typed.ts";

/** Midnight, UTC. */
const DAY = Date.parse("2026-11-20T00:00:00Z") / 1_000;
const NOW = DAY + 12 * 3_600;
const ALL = { from: 0, to: NOW * 2 };
const ASSETS = ["a", "b"].map((assetKey) => ({ assetKey, issuer: "xstocks", chain: "bnb" }));

const premium = (sampledAt: number, tokenPriceUsd: string) =>
  premiumSample("a", sampledAt, { tokenPriceUsd });
const volume = (assetKey: string, volume24hUsd: string) => volumeSample(assetKey, DAY - 60, { volume24hUsd });
const impact = (sampledAt: number, impact10kBps: string) =>
  impactSample("a", sampledAt, "1", { impact10kBps });

describe("corrections of collected data", () => {
  forEachEngine((engine) => {
    let db: Database;
    beforeEach(async () => {
      db = await engine.create();
    });

    const run = async ({ retract, recompute, ...given }: Record<string, string>) => {
      const { world, shown: out, warned: err } = fakeConsole();
      const market = { db, assets: ASSETS, now: () => NOW * 1_000 };
      const own = { ...world, openMarket: { market, backfill: async () => true } };
      const verb = retract === undefined ? ["recompute", recompute!] : ["retract", retract];
      const options = Object.entries(given).map(([name, value]) => `--${name}=${value}`);
      const code = await assayIn(["collect", ...verb, ...options], own);
      return { code, out, err };
    };
    const hours = async () =>
      (await premiumPoints(db, "a", ALL)).map(({ hour, premiumBps, hiBps, samples }) => [
        (hour - DAY) / 3_600,
        premiumBps,
        hiBps,
        samples,
      ]);

    const total = async () => (await dailyTotals(db, "2026-11-19", "2026-11-19"))[0];
    const retractions = () => db.selectFrom("retractions").selectAll().execute();
    const buckets = () => db.selectFrom("hour_buckets").selectAll().orderBy("hour").execute();
    const FAKE_VOLUME = { retract: "volume/a", at: "2026-11-19", reason: "a fake pool" };
    async function retractFakeVolume(): Promise<void> {
      await recordVolumes(db, [volume("a", "900000000"), volume("b", "5")], DAY);
      await closeDays(db, ASSETS, DAY);
      expect((await run(FAKE_VOLUME)).code).to.equal(0);
    }

    it("takes a retracted sample out of its hour, keeps the reason, and never lets it back in", async () => {
      const wrong = premium(DAY + 20, "150");
      await recordPremiums(db, [premium(DAY + 10, "101"), wrong, premium(DAY + 30, "100.5")], NOW);
      expect(await hours()).to.deep.equal([[0, "50", "5000", 3]]);
      const { code } = await run({ retract: "premium/a", at: "2026-11-20T00:00:20Z", reason: "a fake pool" });
      expect(code).to.equal(0);
      expect(await hours()).to.deep.equal([[0, "50", "100", 2]]);
      await recordPremiums(db, [wrong], NOW);
      expect(await hours()).to.deep.equal([[0, "50", "100", 2]]);
      expect(await retractions()).to.deep.equal([
        {
          series: "premium/a",
          from_second: DAY + 20,
          to_second: DAY + 21,
          reason: "a fake pool",
          actor: userInfo().username,
          retracted_at: NOW,
        },
      ]);
    });

    it("retractions whole hours, also those whose raw samples are gone", async () => {
      await premiumsAt(
        db,
        NOW,
        [0, 1, 2].map((hour) => premium(DAY + hour * 3_600, "101")),
      );
      // As retention leaves it.
      const bound = DAY + 2 * 3_600;
      await db.updateTable("market_state").set({ value: bound }).execute();
      await db.deleteFrom("raw_samples").where("sampled_at", "<", bound).execute();
      const hour = (from: string, to: string) =>
        run({ retract: "premium/a", from: `2026-11-20T${from}Z`, to: `2026-11-20T${to}Z`, reason: "wrong" });
      expect(
        (await run({ retract: "premium/a", at: "2026-11-20T00:00:00Z", reason: "x" })).err,
      ).to.deep.equal([
        "assay collect retract: raw samples of that time are no longer kept: retract whole hours instead",
      ]);
      expect((await hour("00:00:00", "01:00:00")).code).to.equal(0);
      expect((await hour("02:00:00", "03:00:00")).code).to.equal(0);
      expect(await hours()).to.deep.equal([[1, "100", "100", 1]]);
    });

    it("makes hours again from the raw samples, as they were", async () => {
      const samples = [premium(DAY + 10, "101"), premium(DAY + 20, "100.5"), premium(DAY + 7_300, "99")];
      await recordPremiums(db, samples, NOW);
      const before = await buckets();
      await db.updateTable("hour_buckets").set({ close: 1, hi: 2, samples: 99 }).execute();
      const again = await run({ recompute: "premium", from: "2026-11-20", to: "2026-11-21" });
      expect(again).to.deep.equal({ code: 0, out: ["premium/a  2 hours"], err: [] });
      expect(await buckets()).to.deep.equal(before);
      const keptFrom = DAY + 3_600;
      await db.updateTable("market_state").set({ value: keptFrom }).execute();
      const refused = await run({ recompute: "premium/a", from: "2026-11-20", to: "2026-11-21" });
      expect(refused.code).to.equal(1);
      expect(refused.err[0]).to.contain("raw samples are kept from 2026-11-20T01:00:00.000Z on");
      expect(await buckets()).to.deep.equal(before);
    });

    it("takes a retracted volume out of its day's totals, and a retracted impact out of its score", async () => {
      await retractFakeVolume();
      expect(await total()).to.include({ volumeUsd: "5", count: 1 });
      await recordVolumes(db, [volume("a", "900000000")], NOW);
      await run({ recompute: "totals", from: "2026-11-19", to: "2026-11-20" });
      expect(await total()).to.include({ volumeUsd: "5" });

      await impactsAt(db, NOW, [impact(DAY + 1, "10"), impact(DAY + 2, "9000")]);
      await run({ retract: "impact/a", at: "2026-11-20T00:00:02Z", reason: "a slip" });
      expect((await liquidityScores(db, ["a"], NOW))[0]).to.include({ impact10kBps: "10", sampleN: 1 });
    });

    it("corrections of collected data complete a retraction that a crash has cut off, when repeated", async () => {
      await retractFakeVolume();
      // The sample was gone, and the totals were still to be made again.
      await db.updateTable("daily_totals").set({ volume_usd: "900000005", count: 2 }).execute();
      expect((await run(FAKE_VOLUME)).code).to.equal(0);
      expect(await total()).to.include({ volumeUsd: "5", count: 1 });
      expect(await retractions()).to.have.length(1);
    });

    it("refuse in words what cannot be corrected, and change nothing", async () => {
      const reason = "wrong";
      const refusals: [Record<string, string>, RegExp][] = [
        [{ retract: "premium/a", at: "today", reason }, /--at must be a time/],
        [{ retract: "price/a", at: "2026-11-20", reason }, /a series is premium\//],
        [{ retract: "premium/a", at: "2099-01-01", reason }, /past times/],
        [{ retract: "volume/a", from: "2026-11-19", to: "2026-11-19T05:00:00Z", reason }, /whole days/],
        [{ retract: "premium/z", at: "2026-11-20", reason }, /premium\/z has nothing at that time$/],
        [{ recompute: "premium/z", from: "2026-11-19", to: "2026-11-20" }, /there is no series premium\/z$/],
        [{ recompute: "premium", from: "2026-11-20", to: "2026-11-20" }, /end after/],
      ];
      for (const [options, words] of refusals) expect((await run(options)).err[0]).to.match(words);
      expect(await retractions()).to.deep.equal([]);
      expect(await basisPoints(db, "AAPL", ALL, "hyperliquid")).to.deep.equal([]);
    });
  });
});
