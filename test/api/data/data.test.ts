/** What the endpoints of the data API answer; how they read what is asked is in parameters.test.ts. */
import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { recordVolumes, snapshotDay } from "../../../market/series/totals.ts";
import { iso, testDataApi } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import {
  ADDRESSES,
  basisSample,
  impactSample,
  impactsAt,
  LEVEL,
  listedToken,
  premiumsAt,
  volumeSample,
} from "../../support/samples.ts";

const NOW = Date.UTC(2025, 10, 14, 15, 20) / 1000;
const HOUR = 3_600;
const DAY = 86_400;
const THIS_HOUR = NOW - (NOW % HOUR);

const { appleOnSolana: SOLANA, appleOnBnb: BNB, teslaOnBnb: TESLA } = ADDRESSES;
const APPLE_NAMES = { nameEn: "Apple", nameCn: "苹果", tags: ["technology"] };
const APPLE = listedToken("AAPL", {
  ...APPLE_NAMES,
  assetKey: `solana:mainnet:${SOLANA}`,
  chain: "solana",
  address: SOLANA,
  decimals: 8,
});
const APPLE_BNB = listedToken("AAPL", { ...APPLE_NAMES, assetKey: `eip155:56:${BNB}`, address: BNB });
const ASSETS = [APPLE, APPLE_BNB, listedToken("TSLA", { address: TESLA })];

const AGREED = { state: "agreed", spread_bps: 1.5, halted: false };
const stamp = (sampledAt: number) => ({ sampledAt, source: "simulated", session: "regular" });

const premium = (sampledAt: number, tokenPriceUsd: string, referencePriceUsd: string | null = "100") => ({
  assetKey: APPLE.assetKey,
  ...stamp(sampledAt),
  tokenPriceUsd,
  sharesPerToken: "1",
  referencePriceUsd,
  referenceSource: referencePriceUsd === null ? null : "pyth",
  impact1kBps: "4",
  platformFeeBps: "5",
  ...LEVEL,
});
const impact = (assetKey: string, sampledAt: number, small: string, large: string | null) =>
  impactSample(assetKey, sampledAt, small, { source: "simulated", impact10kBps: large });

async function seed(db: Database): Promise<void> {
  await premiumsAt(db, NOW, [
    // 1 bps, then 2.5 with the extremes -3 and 7.1234 in the running hour; an hour between without a reference.
    premium(THIS_HOUR - 90 * DAY + HOUR, "100.01"),
    premium(THIS_HOUR - 90 * DAY, "100.02"),
    premium(THIS_HOUR - HOUR + 5, "99", null),
    premium(THIS_HOUR + 60, "99.97"),
    premium(THIS_HOUR + 120, "100.071234"),
    { ...premium(THIS_HOUR + 180, "100.025"), witnesses: 2, referenceAgeSeconds: 40 },
  ]);
  const spot = { source: "simulated", spotSource: "pyth", spotAgeSeconds: 3, witnesses: 4 };
  const bases = ["100.1", "99.9"].map((perpMarkUsd, index) =>
    basisSample("AAPL", THIS_HOUR - (index + 1) * HOUR, { ...spot, perpMarkUsd }),
  );
  await recordBases(db, bases, NOW);
  const other = { underlying: "AAPL", source: "zeta", spotUsd: "100", spotSource: "pyth" };
  const figures = { perpMarkUsd: "101", fundingRate: null, fundingIntervalHours: null, fundingState: null };
  await recordBases(db, [{ ...LEVEL, ...stamp(THIS_HOUR - HOUR + 1), ...other, ...figures }], NOW);
  await impactsAt(db, NOW, [
    ...[1, 2, 3].map((hours) => impact(APPLE.assetKey, NOW - hours * HOUR, "4.5", "49.9999")),
    ...[1, 2].map((hours) => impact(APPLE_BNB.assetKey, NOW - hours * HOUR, "12", null)),
  ]);
  const midnight = NOW - (NOW % DAY);
  const volume = (at: number, volume24hUsd: string) =>
    volumeSample(APPLE.assetKey, at, { ...stamp(at), volume24hUsd, liquidityUsd: "500000.5" });
  const before = [volume(midnight - DAY - 60, "1000000.1"), volume(midnight - 60, "999999999999.99")];
  await recordVolumes(db, [...before, volume(NOW - 60, "42.5")], NOW);
  for (const day of ["2025-11-12", "2025-11-13"]) await snapshotDay(db, ASSETS, day);
}

forEachEngine((engine) => {
  describe("the data API", () => {
    const { get } = testDataApi(async () => {
      const db = await engine.create();
      await seed(db);
      return { db, data: { assets: ASSETS, simulated: true, now: () => NOW * 1000 } };
    });

    it("the data API lists the assets exactly, with their grades", async () => {
      const { status, body } = await get("/api/v1/assets");
      expect(status).to.equal(200);
      expect(Object.keys(body)).to.deep.equal(["attribution", "count", "assets"]);
      expect(body.count).to.equal(3);
      expect(body.assets[0]).to.deep.equal({
        symbol: "AAPLx",
        underlying: "AAPL",
        name_en: "Apple",
        name_cn: "苹果",
        issuer: "xstocks",
        chain: "solana",
        address: SOLANA,
        tags: ["technology"],
        grade: "A",
        decimals: 8,
        asset_key: `solana:mainnet:${SOLANA}`,
        address_confidence: "high",
        unpriced_reason: null,
      });
      // Two samples are too few, none is none.
      expect(body.assets.map(({ grade }: any) => grade)).to.deep.equal(["A", null, null]);
    });

    it("the data API lists the scores there are, with few samples too, and says how they are made", async () => {
      const { body } = await get("/api/v1/liquidity-scores");
      expect(Object.keys(body)).to.deep.equal(["attribution", "methodology", "scores"]);
      const updated_at = new Date((NOW - HOUR) * 1000).toISOString();
      const common = { symbol: "AAPLx", updated_at, source: "simulated" };
      const onSolana = { impact_1k_bps: 4.5, impact_10k_bps: 49.9999, chain: "solana", address: SOLANA };
      const onBnb = { impact_1k_bps: 12, impact_10k_bps: null, chain: "bnb", address: BNB };
      expect(body.scores).to.deep.equal([
        { ...common, ...onSolana, grade: "A", sample_n: 3 },
        { ...common, ...onBnb, grade: "D", sample_n: 2 },
      ]);
      expect(body.methodology).to.contain("medians over the last 7 days").and.to.contain("Simulated");
      expect(body.attribution).to.contain("simulated").and.to.contain("Assay");
    });

    it("the data API answers the premium history oldest first, hours without samples absent, with the origin of each", async () => {
      const { body } = await get("/api/v1/premium-history?symbol=AAPLx&days=90");
      expect(Object.keys(body).slice(0, 4)).to.deep.equal(["attribution", "symbol", "days", "points"]);
      expect(body).to.include({ symbol: "AAPLx", days: 90, chain: "solana", address: SOLANA });
      const origin = { source: "simulated", session: "regular", ...AGREED };
      const uncounted = { witnesses: null, reference_age: null };
      // 90 days of hours, the running one included: the bucket 90 days before it is just out.
      const pyth = { ...origin, reference: "pyth" };
      expect(body.points).to.deep.equal([
        { ts: iso(THIS_HOUR - 90 * DAY + HOUR), premium_bps: 1, ...pyth, samples: 1, ...uncounted },
        {
          ...origin,
          ...uncounted,
          ts: iso(THIS_HOUR - HOUR),
          premium_bps: null,
          reference: null,
          samples: 1,
        },
        {
          ts: iso(THIS_HOUR),
          premium_bps: 2.5,
          ...pyth,
          samples: 3,
          witnesses: 2,
          reference_age: 40,
        },
      ]);
      expect((await get("/api/v1/premium-history?symbol=AAPLx&days=1")).body.points).to.have.length(2);
    });

    it("the data API answers the public premium with extremes and net edge", async () => {
      const { body } = await get("/api/premium/history?symbol=AAPLx", null);
      expect(Object.keys(body).slice(0, 3)).to.deep.equal(["symbol", "days", "points"]);
      expect(body.days).to.equal(7);
      const origin = { source: "simulated", session: "regular", reference: "pyth", ...AGREED };
      const counted = { samples: 3, witnesses: 2, reference_age: 40 };
      const figures = { premium: 2.5, lo: -3, hi: 7.1234, net_edge: -11.5 };
      expect(body.points.at(-1)).to.deep.equal({ t: THIS_HOUR, ...figures, ...origin, ...counted });
      expect(body.points[0]).to.include({ t: THIS_HOUR - HOUR, premium: null, lo: null, net_edge: null });
    });

    it("the data API answers the basis with annualized funding", async () => {
      const { body } = await get("/api/basis/history?underlying=AAPL&days=2", null);
      expect(Object.keys(body).slice(0, 3)).to.deep.equal(["underlying", "days", "points"]);
      const level = { ...AGREED, funding_state: "single" };
      const origin = { source: "simulated", session: "regular", reference: "pyth", ...level };
      const counted = { samples: 1, witnesses: 4, reference_age: 3, funding_annual: 547.5 };
      expect(body.points).to.deep.equal([
        { t: THIS_HOUR - 2 * HOUR, basis: -10, lo: -10, hi: -10, ...origin, ...counted },
        { t: THIS_HOUR - HOUR, basis: 10, lo: 10, hi: 10, ...origin, ...counted },
      ]);
      expect(body).to.deep.include({ venue: "simulated", venues: ["simulated", "zeta"] });
      const none = (await get("/api/basis/history?underlying=TSLA", null)).body;
      expect(none).to.deep.include({ points: [], venue: null, venues: [] });
    });

    it("the data API answers the basis of the venue that is asked for, and never of two in one series", async () => {
      const of = async (venue: string) =>
        (await get(`/api/basis/history?underlying=AAPL&venue=${venue}`, null)).body;
      const zeta = await of("zeta");
      expect(zeta.points.map(({ basis, source }: any) => [basis, source])).to.deep.equal([[100, "zeta"]]);
      expect(zeta.venue).to.equal("zeta");
      for (const unknown of ["nobody", "A%20B"]) expect((await of(unknown)).points).to.deep.equal([]);
    });

    it("the data API sums the market by day and scope, in exact amounts", async () => {
      const { body, text } = await get("/api/market-overview?days=2", null);
      expect(Object.keys(body).slice(0, 3)).to.deep.equal(["days", "series", "live"]);
      expect(body.series.map(({ day, scope, cnt }: any) => `${day} ${scope} ${cnt}`)).to.include.members([
        "2025-11-12 all 1",
        "2025-11-12 chain:solana 1",
        "2025-11-12 issuer:xstocks 1",
        "2025-11-13 all 1",
      ]);
      const days = body.series.map(({ day }: any) => day);
      expect(days).to.deep.equal([...days].sort());
      const last = { day: "2025-11-13", scope: "all" };
      const whole = { cnt: 1, expected: 1, complete: true, state: "single" };
      const sums = { vol: "999999999999.99", liq: "500000.5", ...whole };
      const found = body.series.filter(({ day, scope }: any) => day === last.day && scope === last.scope);
      expect(found).to.deep.equal([{ ...last, ...sums }]);
      const live = { vol24Usd: 42.5, liquidityUsd: 500000.5, assetCount: 3, tokensWithDexData: 1 };
      expect(body.live).to.deep.equal({ ...live, expected: 1, complete: true, state: "single" });
      expect(text).to.contain('"vol24Usd":42.5,"liquidityUsd":500000.5,');
      const one = await get("/api/market-overview?days=1", null);
      expect(new Set(one.body.series.map(({ day }: any) => day))).to.deep.equal(new Set(["2025-11-13"]));
    });
  });
});
