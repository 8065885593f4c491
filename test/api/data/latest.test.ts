import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { recordVolumes } from "../../../market/series/totals.ts";
import { iso, testDataApi } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import {
  ADDRESSES,
  impactSample,
  impactsAt,
  listedToken,
  premiumSample,
  premiumsAt,
  volumeSample,
} from "../../support/samples.ts";

const NOW = Date.UTC(2026, 10, 25, 15, 20, 30) / 1_000;
const MINUTE = 60;
const HOUR = 3_600;

const { appleOnSolana: SOLANA, teslaOnBnb: TESLA_ADDRESS } = ADDRESSES;
const APPLE = listedToken("AAPL", { nameEn: "Apple", nameCn: "苹果" });
const APPLE_SOLANA = listedToken("AAPL", {
  assetKey: "sol-AAPL",
  chain: "solana",
  address: SOLANA,
  nameEn: "Apple",
});
const TESLA = listedToken("TSLA", {
  address: TESLA_ADDRESS,
  issuer: "ondo",
  nameEn: "Tesla Motors",
  nameCn: "特斯拉",
});
const ASSETS = [APPLE, APPLE_SOLANA, TESLA];

async function seed(db: Database): Promise<void> {
  await premiumsAt(db, NOW, [
    premiumSample(APPLE.assetKey, NOW - 10 * MINUTE),
    premiumSample(APPLE.assetKey, NOW - 5 * MINUTE, {
      tokenPriceUsd: "101.123456789012345678",
      sharesPerToken: "1.005",
      referencePriceUsd: "100.5",
    }),
    premiumSample(TESLA.assetKey, NOW - 3 * HOUR, {
      referencePriceUsd: null,
      referenceSource: null,
      referenceAgeSeconds: null,
      state: "disputed",
      spreadBps: null,
      halted: true,
    }),
  ]);
  await impactsAt(db, NOW, [
    ...[1, 2, 3].map((hours) => impactSample(APPLE.assetKey, NOW - hours * HOUR, "12.3456")),
    ...[1, 2, 3].map((hours) => impactSample(TESLA.assetKey, NOW - hours * HOUR, "120")),
  ]);
  await recordVolumes(
    db,
    [
      volumeSample(APPLE.assetKey, NOW - 86_400, { volume24hUsd: "7", liquidityUsd: "8" }),
      volumeSample(APPLE.assetKey, NOW - 2 * MINUTE, { volume24hUsd: "1000000.25", liquidityUsd: "99.5" }),
    ],
    NOW,
  );
}

forEachEngine((engine) => {
  describe("the newest values", () => {
    const { get } = testDataApi(async () => {
      const db = await engine.create();
      await seed(db);
      return { db, data: { assets: ASSETS, simulated: true, now: () => NOW * 1_000 } };
    }, "/api/v1/latest");
    const found = async (query: string) =>
      (await get(query)).body.tokens.map(({ symbol, chain }: any) => `${symbol} ${chain}`);

    it("the newest values of a token are its prices, premium, grade, impacts and volume, each with its time and age", async () => {
      const { body } = await get();
      expect(Object.keys(body)).to.eql(["attribution", "generated_at", "count", "tokens"]);
      expect(body).to.include({ generated_at: iso(NOW), count: 3 });
      expect(body.tokens[0]).to.eql({
        symbol: "AAPLx",
        chain: "bnb",
        issuer: "xstocks",
        address: "AAPL",
        asset_key: "key-AAPL",
        underlying: "AAPL",
        name_en: "Apple",
        name_cn: "苹果",
        unpriced_reason: null,
        // (101.123456789012345678 / 1.005 / 100.5 - 1) * 10000
        premium_bps: 11.9756,
        state: "agreed",
        spread_bps: 1.5,
        witnesses: 3,
        net_edge_bps: -26.4756,
        source: "test",
        reference: "feed",
        reference_age: 7,
        session: "regular",
        halted: false,
        price_usd: "101.123456789012345678",
        price_per_share_usd: "100.620355013943",
        reference_price_usd: "100.5",
        shares_per_token: "1.005",
        hour: "2026-11-25T15:00:00.000Z",
        sampled_at: iso(NOW - 5 * MINUTE),
        age: 300,
        grade: "A",
        impact_1k_bps: 12.3456,
        impact_10k_bps: 12.3456,
        impact_at: iso(NOW - HOUR),
        impact_age: HOUR,
        volume_24h_usd: "1000000.25",
        liquidity_usd: "99.5",
        volume_at: iso(NOW - 120),
        volume_age: 120,
      });
      expect(body.tokens[2]).to.include({
        premium_bps: null,
        state: "disputed",
        halted: true,
        reference: null,
      });
      expect(body.tokens[2]).to.include({
        price_per_share_usd: "101",
        reference_price_usd: null,
        grade: "B",
      });
    });

    it("the newest values of a token that was never sampled are null, in the same members", async () => {
      const [first, second] = (await get()).body.tokens;
      expect(Object.keys(second)).to.eql(Object.keys(first));
      const { symbol, chain, issuer, address, asset_key, underlying, name_en, name_cn, ...rest } = second;
      expect([symbol, chain]).to.eql(["AAPLx", "solana"]);
      expect(new Set(Object.values(rest))).to.eql(new Set([null]));
    });

    it("the newest values are found by chain, issuer, symbol, stock, address, grade and words of a name", async () => {
      expect(await found("?chain=solana")).to.eql(["AAPLx solana"]);
      expect(await found("?issuer=ondo,bstocks")).to.eql(["TSLAx bnb"]);
      expect(await found("?symbol=TSLAx,AAPLx&chain=bnb")).to.eql(["AAPLx bnb", "TSLAx bnb"]);
      expect(await found("?underlying=AAPL")).to.have.length(2);
      expect(await found(`?address=${SOLANA}`)).to.eql(["AAPLx solana"]);
      expect(await found(`?address=${TESLA_ADDRESS.toLowerCase()}`)).to.eql(["TSLAx bnb"]);
      expect(await found("?grade=B,C")).to.eql(["TSLAx bnb"]);
      expect(await found("?q=MOTORS%20tesla")).to.eql(["TSLAx bnb"]);
      expect(await found("?q=%E8%8B%B9")).to.eql(["AAPLx bnb"]);
      expect(await found("?q=nothing")).to.eql([]);
    });

    it("the newest values are refused to parameters that are not known", async () => {
      for (const query of [
        "days=3",
        "chain=eth",
        "grade=E",
        "limit=1",
        "cursor=x",
        "q=",
        "symbol=",
        "from=2026-11-25",
        "format=csv",
      ])
        expect((await get(`?${query}`)).status, query).to.equal(400);
    });
  });
});
