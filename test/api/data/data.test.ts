import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import type { MarketAsset } from "../../../market/queries.ts";
import { recordBases } from "../../../market/series/basis.ts";
import { recordVolumes, snapshotDay } from "../../../market/series/totals.ts";
import { testDataApi } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import {
  basisSample,
  impactSample,
  impactsAt,
  LEVEL,
  premiumsAt,
  volumeSample,
} from "../../support/samples.ts";

const NOW = Date.UTC(2025, 10, 14, 15, 20) / 1000;
const HOUR = 3_600;
const DAY = 86_400;
const THIS_HOUR = NOW - (NOW % HOUR);

const SOLANA = "XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp";
const BNB = "0x9d275685dC284C8eB1C79f6ABA7a63Dc75ec890a";
const TESLA = "0x8aD3c73F833d3F9A523aB01476625F269aEB7Cf0";

const asset = (symbol: string, chain: "solana" | "bnb", address: string): MarketAsset => ({
  assetKey: chain === "bnb" ? `eip155:56:${address}` : `solana:mainnet:${address}`,
  symbol,
  underlying: symbol.slice(0, -1),
  nameEn: symbol === "AAPLx" ? "Apple" : "Tesla",
  nameCn: symbol === "AAPLx" ? "苹果" : "特斯拉",
  issuer: "xstocks",
  chain,
  address,
  decimals: chain === "bnb" ? 18 : 8,
  tags: ["technology"],
});
const APPLE = asset("AAPLx", "solana", SOLANA);
const APPLE_BNB = asset("AAPLx", "bnb", BNB);
const ASSETS = [APPLE, APPLE_BNB, asset("TSLAx", "bnb", TESLA)];

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

    it("lists the assets exactly, with their grades", async () => {
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

    it("finds an asset by its address, in any case where case means nothing", async () => {
      const found = async (address: string) =>
        (await get(`/api/v1/assets?address=${address}`)).body.assets.map(({ chain }: any) => chain);
      expect(await found(SOLANA)).to.deep.equal(["solana"]);
      expect(await found(SOLANA.toLowerCase())).to.deep.equal([]);
      expect(await found(BNB.toLowerCase())).to.deep.equal(["bnb"]);
      expect(await found(`0x${"0".repeat(40)}`)).to.deep.equal([]);
      expect(await found("x".repeat(5_000))).to.deep.equal([]);
      expect(await found("")).to.have.length(3);
      const one = await get(`/api/v1/assets?address=${BNB}`);
      expect([one.body.count, one.body.assets[0].grade]).to.deep.equal([1, null]);
    });

    it("lists the scores there are, with few samples too, and says how they are made", async () => {
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

    it("answers the premium history oldest first, hours without samples absent, with the origin of each", async () => {
      const { body } = await get("/api/v1/premium-history?symbol=AAPLx&days=90");
      expect(Object.keys(body).slice(0, 4)).to.deep.equal(["attribution", "symbol", "days", "points"]);
      expect(body).to.include({ symbol: "AAPLx", days: 90, chain: "solana", address: SOLANA });
      const origin = { source: "simulated", session: "regular", ...AGREED };
      const uncounted = { witnesses: null, reference_age: null };
      const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
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

    it("finds a token by its address on every endpoint, under any symbol", async () => {
      const text = async (path: string) => (await get(path)).text;
      const points = (body: any) => JSON.stringify(body.points);
      for (const path of ["/api/v1/premium-history", "/api/premium/history"]) {
        const { body } = await get(`${path}?symbol=AAPLx&chain=solana`);
        const found = await get(`${path}?address=${SOLANA}`);
        expect(found.body, path).to.deep.include({ symbol: "AAPLx", address: SOLANA, chain: "solana" });
        expect(points(found.body), path).to.equal(points(body));
        // The answer repeats what it was asked, and keeps it from who asks next.
        expect((await get(`${path}?symbol=Other1&address=${SOLANA}`)).body.symbol).to.equal("Other1");
        expect((await get(`${path}?symbol=AAPLx&chain=solana`)).body.symbol).to.equal("AAPLx");
        expect((await get(`${path}?address=${BNB.toLowerCase()}`)).body.chain).to.equal("bnb");
        expect((await get(`${path}?address=nobody`)).body).to.deep.include({ points: [], address: null });
      }
      expect((await get(`/api/v1/premium-history?symbol=BRK.Bx&address=${SOLANA}`)).status).to.equal(400);
      const scores = (await get(`/api/v1/liquidity-scores?address=${BNB}`)).body.scores;
      expect(scores.map(({ address }: any) => address)).to.deep.equal([BNB]);
      const byName = await text("/api/basis/history?underlying=AAPL&days=2");
      expect(await text(`/api/basis/history?address=${SOLANA}&days=2`)).to.equal(byName);
    });

    it("answers the public premium with extremes and net edge", async () => {
      const { body } = await get("/api/premium/history?symbol=AAPLx", null);
      expect(Object.keys(body).slice(0, 3)).to.deep.equal(["symbol", "days", "points"]);
      expect(body.days).to.equal(7);
      const origin = { source: "simulated", session: "regular", reference: "pyth", ...AGREED };
      const counted = { samples: 3, witnesses: 2, reference_age: 40 };
      const figures = { premium: 2.5, lo: -3, hi: 7.1234, net_edge: -11.5 };
      expect(body.points.at(-1)).to.deep.equal({ t: THIS_HOUR, ...figures, ...origin, ...counted });
      expect(body.points[0]).to.include({ t: THIS_HOUR - HOUR, premium: null, lo: null, net_edge: null });
    });

    it("answers the basis with annualized funding", async () => {
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

    it("serves the basis of the venue that is asked for, and never two of them in one series", async () => {
      const of = async (venue: string) =>
        (await get(`/api/basis/history?underlying=AAPL&venue=${venue}`, null)).body;
      const zeta = await of("zeta");
      expect(zeta.points.map(({ basis, source }: any) => [basis, source])).to.deep.equal([[100, "zeta"]]);
      expect(zeta.venue).to.equal("zeta");
      for (const unknown of ["nobody", "A%20B"]) expect((await of(unknown)).points).to.deep.equal([]);
    });

    it("sums the market by day and scope, amounts as exact decimal strings", async () => {
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

    it("lets `chain` choose for a symbol on two chains, and defaults to the first listed", async () => {
      const chosen = async (query: string) => {
        const { body } = await get(`/api/premium/history?symbol=AAPLx${query}`, null);
        return [body.chain, body.points.length];
      };
      expect(await chosen("")).to.deep.equal(["solana", 2]);
      expect(await chosen("&chain=solana")).to.deep.equal(["solana", 2]);
      expect(await chosen("&chain=bnb")).to.deep.equal(["bnb", 0]);
      expect(await chosen("&chain=")).to.deep.equal(["solana", 2]);
      expect(await chosen("&chain=ethereum")).to.deep.equal([null, 0]);
      expect((await get("/api/v1/premium-history?symbol=AAPLx&chain=bnb")).body.address).to.equal(BNB);
      expect((await get("/api/v1/premium-history?symbol=TSLAx&chain=solana")).body.points).to.deep.equal([]);
    });

    it("takes the default for days that are no number, clamps the others, and echoes what it used", async () => {
      const used = async (path: string, days: string) => {
        const { status, body } = await get(`${path}${path.includes("?") ? "&" : "?"}${days}`);
        expect(status).to.equal(200);
        return body.days;
      };
      const ranges: [string, number, number][] = [
        ["/api/v1/premium-history?symbol=AAPLx", 90, 30],
        ["/api/market-overview", 365, 90],
        ["/api/premium/history?symbol=AAPLx", 30, 7],
        ["/api/basis/history?underlying=AAPL", 30, 7],
      ];
      for (const [path, max, byDefault] of ranges) {
        for (const none of ["", "days=", "days=abc", "days=NaN", "days=Infinity", "days=0x10", "days=7d"])
          expect(await used(path, none), none).to.equal(byDefault);
        for (const none of ["days=5&days=6", "days[]=5", "days[a]=5", "DAYS=5", "days=%00", "days=1,5"])
          expect(await used(path, none), none).to.equal(byDefault);
        for (const low of ["days=0", "days=-1", "days=-999999999999999999999", "days=0.5", "days=-1e400"])
          expect(await used(path, low), low).to.equal(1);
        for (const high of ["days=1e9", "days=366", `days=${"9".repeat(400)}`, "days=1e400"])
          expect(await used(path, high), high).to.equal(max);
        for (const fits of ["days=5", "days=5.9", "days=+5", "days=%205%20", "days=05", "days=0.5e1"])
          expect(await used(path, fits), fits).to.equal(5);
        expect(await used(path, `days=${max}`)).to.equal(max);
      }
    });

    it("refuses a malformed symbol on the key endpoint, and only there", async () => {
      const path = "/api/v1/premium-history";
      const symbols = ["", "BRK.Bx", "A%20B", "THIRTEENCHARS", "%E8%8B%B9", "AAPLx%0A", "A".repeat(8_000)];
      const queries = ["", "?symbol=AAPLx&symbol=AAPLx", "?symbol[]=AAPLx"];
      const malformed = [...queries, ...symbols.map((symbol) => `?symbol=${symbol}`)];
      for (const query of malformed) {
        const { status, body } = await get(path + query);
        expect([status, body.code], query).to.deep.equal([400, "bad_symbol"]);
      }
      for (const symbol of ["ZZZZ", "aaplx", "A", "TWELVECHARS1"]) {
        const { status, body } = await get(`${path}?symbol=${symbol}`);
        expect([status, body.symbol, body.points], symbol).to.deep.equal([200, symbol, []]);
      }
      for (const query of malformed) {
        expect((await get(`/api/premium/history${query}`, null)).status, query).to.equal(200);
        const ofBasis = query.replace("symbol", "underlying");
        expect((await get(`/api/basis/history${ofBasis}`, null)).status).to.equal(200);
      }
    });

    it("echoes the parameters of public requests", async () => {
      const echo = async (query: string) => {
        const answers = [
          (await get(`/api/premium/history${query}`, null)).body,
          (await get(`/api/basis/history${query.replaceAll("symbol", "underlying")}`, null)).body,
        ];
        expect(answers.map(({ points }) => points)).to.deep.equal([[], []]);
        expect(answers[0].symbol).to.equal(answers[1].underlying);
        return answers[0].symbol;
      };
      expect(await echo("")).to.equal("");
      expect(await echo("?symbol=%22%3Cb%3E%5C%0A")).to.equal('"<b>\\\n');
      expect(await echo("?symbol=a&symbol=b")).to.equal("a,b");
      expect(await echo(`?symbol=${"x".repeat(8_000)}`)).to.equal("x".repeat(8_000));
      expect(await echo("?symbol=%FF%FE")).to.be.a("string");
      expect(await echo("?symbol=__proto__")).to.equal("__proto__");
    });

    it("asks for a key where one is due, and for none elsewhere", async () => {
      for (const path of ["/api/v1/assets", "/api/v1/liquidity-scores", "/api/v1/premium-history"]) {
        const without = await get(path, null);
        expect([without.status, without.body.code]).to.deep.equal([401, "missing_api_key"]);
        const wrong = await get(path, "ak_wrong");
        expect([wrong.status, wrong.body.code]).to.deep.equal([403, "invalid_api_key"]);
      }
      for (const path of ["/api/market-overview", "/api/premium/history", "/api/basis/history"])
        expect((await get(path, null)).status).to.equal(200);
    });
  });
});
