import { expect } from "chai";
import type { Database } from "../../database/open.ts";
import { backfillFunding } from "../../market/collect/backfill.ts";
import { collectRound } from "../../market/collect/collect.ts";
import { createMemory } from "../../market/collect/round.ts";
import { connectMarket, type LiveDeps } from "../../market/providers/connect.ts";
import { USDT_MINT } from "../../market/providers/jupiter.ts";
import { UNLIMITED } from "../../market/providers/limits.ts";
import {
  basisPoints,
  liquidityScores,
  liveTotals,
  type MarketAsset,
  premiumPoints,
} from "../../market/queries.ts";
import { premiumOf } from "../../market/series/premium.ts";
import { memoryDatabase, rowOf } from "../support/database.ts";
import { binanceListing, solanaMint } from "../support/providers/captures.ts";
import { listedToken, rejections } from "../support/samples.ts";
import { ofTest } from "../support/suite.ts";

const NOW = 1_795_003_200;
const MINT = "XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp";
const TSLA = "0x8aD3c73F833d3F9A523aB01476625F269aEB7Cf0";
const NFLX = "0x9f2a5c31b7Be1E9F4BbE1E22c8e6B3ec9f13e7A1".toLowerCase();
const USDT = "0x55d398326f99059fF775485246999027B3197955";

const onSolana = { chain: "solana", address: MINT, decimals: 8 } as const;
const ASSETS: MarketAsset[] = [
  { ...listedToken("AAPL", { assetKey: "sol-aapl", ...onSolana }), shares: "multiplier" },
  { ...listedToken("TSLA", { assetKey: "bnb-tsla", address: TSLA }), shares: "rebasing" },
  { ...listedToken("NFLX", { assetKey: "bnb-nflx", issuer: "ondo", address: NFLX }), shares: "ratio" },
];

type Routes = Record<string, (url: URL, body: string) => unknown>;

const iso = new Date((NOW - 60) * 1_000).toISOString();
const pool = (token: string, usd: number) => ({
  chainId: "bsc",
  dexId: "pancakeswap",
  pairAddress: `0x${token.slice(2, 8).padEnd(40, "1")}`,
  baseToken: { address: token },
  quoteToken: { address: USDT },
  priceNative: String(usd),
  priceUsd: String(usd),
  volume: { h24: 1_000 },
  liquidity: { usd: 5_000 },
});

/** Of a thousand parts that a buy on BNB chain gets: one less at 10,000 dollars. */
const partOf = (amount: string) => (BigInt(amount) < 10n ** 22n ? 1_000n : 999n);

/** Providers as they answer, by host and the start of the path. */
const ROUTES: Routes = {
  "api.jup.ag/swap/v2/order": (url) => {
    const { inputMint, outputMint, amount = "0" } = Object.fromEntries(url.searchParams);
    // One percent worse at 10,000 dollars.
    const worse = amount === "10000000000" ? "2930693069" : null;
    const outAmount = worse ?? String((BigInt(amount) * 296n) / 1_000n);
    return { inputMint, outputMint, inAmount: amount, outAmount };
  },
  "api.jup.ag/price/v3": () => ({
    [MINT]: {
      usdPrice: 270.27,
      scaledUiConfig: { multiplier: 1.25, usdPricePrescaled: 337.8375 },
      stockData: { price: 270, updatedAt: iso },
    },
    [USDT_MINT]: { usdPrice: 1 },
  }),
  "swap.pancakeswap.com/v1/quote": (url) => {
    const { amount = "0", tokenOut } = Object.fromEntries(url.searchParams);
    const price = tokenOut?.toLowerCase() === NFLX ? 1_150n : 404n;
    const outputAmount = String((BigInt(amount) * partOf(amount)) / price / 1_000n);
    return { best: { inputAmount: amount, outputAmount } };
  },
  "api.dexscreener.com/token-pairs/v1/bsc": (url) => [
    url.pathname.toLowerCase().endsWith(NFLX) ? pool(NFLX, 1_150) : pool(TSLA, 404),
  ],
  "api.dexscreener.com/token-pairs/v1/solana": () => [],
  "api.dexscreener.com/tokens/v1": () => [],
  "api.hyperliquid.xyz/info": (_url, body) =>
    JSON.parse(body).type === "fundingHistory"
      ? [7_200, 3_600].map((ago) => ({
          coin: JSON.parse(body).coin,
          fundingRate: "0.00001",
          time: (NOW - ago) * 1_000 + 12,
        }))
      : [
          { universe: [{ name: "xyz:TSLA" }, { name: "xyz:SP500" }] },
          [
            { funding: "0.00003125", oraclePx: "400", markPx: "402" },
            { funding: "0.1", oraclePx: "6000", markPx: "6001" },
          ],
        ],
  // A name that nobody vouched for.
  "fapi.binance.com/fapi/v1/exchangeInfo": () => ({ symbols: [binanceListing("ZZZUSDT")] }),
  "fapi.binance.com/fapi/v1/fundingInfo": () => [{ symbol: "ZZZUSDT", fundingIntervalHours: 8 }],
  "fapi.binance.com/fapi/v1/premiumIndex": () => [
    { symbol: "ZZZUSDT", markPrice: "1", indexPrice: "1", lastFundingRate: "0", time: NOW * 1_000 },
  ],
  "api.mainnet-beta.solana.com/": () => ({
    result: { value: [solanaMint({ multiplier: "1.25", newMultiplier: "1.25" })] },
  }),
  "api.xstocks.fi/api/v2/public/assets/AAPLx/multiplier": () => ({ currentMultiplier: 1.25 }),
  "api.xstocks.fi/api/v2/public/assets": (url) => ({
    nodes: ASSETS.filter(({ issuer }) => issuer === "xstocks").map(({ symbol, underlying, address }) => ({
      symbol,
      underlyingSymbol: underlying,
      isTradingHalted: false,
      deployments: [{ network: url.searchParams.get("network"), address }],
    })),
    page: { currentPage: 0, hasNextPage: false },
  }),
};

function market(db: Database, routes: Routes = ROUTES, keys: LiveDeps["keys"] = {}) {
  const fetch = (async (input: URL, init?: RequestInit) => {
    const url = new URL(input);
    const route = Object.entries(routes).find(([start]) => `${url.host}${url.pathname}`.startsWith(start));
    if (!route) return new Response("<html>down</html>", { status: 503 });
    return Response.json(route[1](url, String(init?.body)));
  }) as typeof globalThis.fetch;
  const now = () => NOW * 1_000;
  const live = connectMarket({
    tokens: ASSETS,
    fetch,
    now,
    keys: keys ?? {},
    limits: UNLIMITED,
    attempts: 1,
  });
  const log = { warn: () => {}, error: () => {} };
  const deps = { db, assets: ASSETS, market: live, sessionAt: () => "regular", now, log };
  return { live, deps };
}

const ALL = { from: 0, to: NOW * 2 };

describe("the live market", () => {
  const db = ofTest(memoryDatabase);

  it("fills every series out of what the providers answer", async () => {
    const { deps } = market(db);
    const { steps } = await collectRound(deps, createMemory());
    // Pools count once buys of their tokens were measured.
    await collectRound(deps, createMemory());
    const failures = steps.flatMap(({ kind, failed }) => failed.map((subject) => `${kind} ${subject}`));
    expect(failures).to.deep.equal([]);
    const ofJupiter = { premiumBps: "10", source: "jupiter", referenceSource: "jupiter" };
    expect((await premiumPoints(db, "sol-aapl", ALL))[0]).to.include(ofJupiter);
    const ofVenues = { source: "dexscreener,pancakeswap", referenceSource: "hyperliquid" };
    expect((await premiumPoints(db, "bnb-tsla", ALL))[0]).to.include({ premiumBps: "100", ...ofVenues });
    const [basis] = await basisPoints(db, "TSLA", ALL, "hyperliquid");
    expect(basis).to.include({ basisBps: "50", fundingAnnualBps: "2737.5" });
    const [ofApple] = await liquidityScores(db, ["sol-aapl"], NOW + 60);
    expect(Number(ofApple?.impact10kBps)).to.be.within(99, 101);
    const [ofTesla] = await liquidityScores(db, ["bnb-tsla"], NOW + 60);
    expect(ofTesla).to.include({ impact10kBps: "10.01", source: "pancakeswap" });
    expect(await liveTotals(db, NOW + 60)).to.deep.equal({
      volume24hUsd: "2000",
      liquidityUsd: "10000",
      tokensWithDexData: 2,
      expected: 2,
    });
  });

  it("the live market has no premium of a token whose shares are not known, and has it once they are", async () => {
    const unknown = market(db);
    await collectRound(unknown.deps, createMemory());
    expect(await premiumPoints(db, "bnb-nflx", ALL)).to.deep.equal([]);
    const stated = { tokenToShareRatio: "10", tokenPrice: "1150", referencePrice: "115" };
    const ratio = { binanceChainId: "56", tokenContractAddress: NFLX, ...stated };
    const routes = {
      ...ROUTES,
      "web3.binance.com/build/api/v1/dex/market/rwa/tokens": () => ({ code: 0, data: [ratio] }),
    };
    const known = market(db, routes, { binanceRwa: "key:secret" });
    await collectRound(known.deps, createMemory());
    const unpriced = { premiumBps: null, source: "dexscreener,pancakeswap" };
    expect((await premiumPoints(db, "bnb-nflx", ALL))[0]).to.include(unpriced);
    const name = "premium/bnb-nflx";
    const { id } = await rowOf(db, "series", { name });
    const { sample: text } = await rowOf(db, "raw_samples", { series_id: id });
    expect(premiumOf({ series: name, sampledAt: NOW, text })).to.include({ sharesPerToken: "10" });
  });

  it("prices the other tokens where the shares of some cannot be had, and says who failed", async () => {
    const { deps } = market(db, ROUTES, { binanceRwa: "key:secret" });
    const { steps } = await collectRound(deps, createMemory());
    expect(steps.find(({ kind }) => kind === "premiums")?.failed).to.include("binanceRwa");
    expect(await premiumPoints(db, "bnb-nflx", ALL)).to.deep.equal([]);
    expect(await premiumPoints(db, "bnb-tsla", ALL)).to.have.length(1);
  });

  it("the live market does not take an index for the fund that tracks it, nor a name that nobody vouched for", async () => {
    const { live } = market(db);
    const wanted = ["TSLA", "SPY", "SP500"].map((ticker) => listedToken(ticker));
    const { statements } = await live.ask("perp", wanted);
    expect(statements.map(({ subject }) => subject)).to.deep.equal(["TSLA"]);
  });

  it("asks the next venue where one is down, and keeps the rest collecting", async () => {
    const routes: Routes = {
      ...ROUTES,
      "aggregator-api.kyberswap.com/bsc/api/v1/routes": (url) => {
        const amountIn = url.searchParams.get("amountIn") ?? "0";
        const amountOut = String((BigInt(amountIn) * partOf(amountIn)) / 404_000n);
        return { code: 0, data: { routeSummary: { amountIn, amountOut } } };
      },
    };
    for (const down of [
      "swap.pancakeswap.com/v1/quote",
      "api.jup.ag/price/v3",
      "fapi.binance.com/fapi/v1/exchangeInfo",
    ])
      delete routes[down];
    const { deps } = market(db, routes);
    const { steps } = await collectRound(deps, createMemory());
    const failed = (kind: string) => steps.find((step) => step.kind === kind)?.failed;
    expect(failed("impacts")).to.deep.equal([]);
    expect(failed("bases")).to.have.members(["jupiter", "binance"]);
    expect(failed("premiums")).to.include("jupiter");
    expect((await liquidityScores(db, ["bnb-tsla"], NOW + 60))[0]?.source).to.equal("kyberswap");
    expect(await premiumPoints(db, "bnb-tsla", ALL)).to.have.length(1);
    expect(await premiumPoints(db, "sol-aapl", ALL)).to.deep.equal([]);
  });

  it("fills the past with funding, which leaves the close to samples of the hour itself", async () => {
    const { deps, live } = market(db);
    await collectRound(deps, createMemory());
    const reports: string[] = [];
    await backfillFunding(deps, live, 90, ({ underlying, stored, error }) =>
      reports.push(`${underlying} ${error === null ? stored : "failed"}`),
    );
    expect(reports).to.deep.equal(["AAPL 0", "TSLA 2", "NFLX 0"]);
    const bases = await basisPoints(db, "TSLA", ALL, "hyperliquid");
    expect(bases.map((one) => [one.hour - NOW, one.basisBps, one.fundingAnnualBps])).to.deep.equal([
      [-7_200, null, "876"],
      [-3_600, null, "876"],
      [0, "50", "2737.5"],
    ]);
  });

  it("takes nothing from a history of funding that is zero throughout, and says so", async () => {
    const ask = ROUTES["api.hyperliquid.xyz/info"]!;
    const routes: Routes = {
      ...ROUTES,
      "api.hyperliquid.xyz/info": (url, body) =>
        JSON.parse(JSON.stringify(ask(url, body)).replaceAll('"0.00001"', '"0.0"')),
    };
    const { deps, live } = market(db, routes);
    await backfillFunding(deps, live, 90, ({ stored }) => expect(stored).to.equal(0));
    expect((await rejections(db)).map(({ subject, reason }) => `${subject} ${reason}`)).to.eql([
      "TSLA funding_zero_everywhere",
    ]);
  });
});
