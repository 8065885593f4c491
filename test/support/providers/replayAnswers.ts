/** What each provider of the live market answers about a small world, in its own shapes. */
import { USDT_MINT } from "../../../market/providers/jupiter.ts";
import { USDT_FEED } from "../../../market/providers/pyth.ts";
import { binanceListing, capturedAt, solanaMint } from "./captures.ts";
import { REPLAY_NOW, type ReplayPool, type ReplayToken, type ReplayWorld } from "./replayWorld.ts";

const USDT = "0x55d398326f99059fF775485246999027B3197955";
const USDC_SOLANA = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

/** Each source's part of the fair price: the median of the references is half a basis point above it. */
const STATED = { jupiter: 1.0002, pyth: 1, hyperliquid: 0.9999, binance: 1.0001 };
/** Premiums within the clamp, in which venues pay their interest alone. */
const MARKS = { hyperliquid: 1.0003, binance: 1.0005 };

export type Answer = { readonly status?: number; readonly body: unknown };

type Ask = (world: ReplayWorld, path: string, query: URLSearchParams, body: string) => Answer;

const ANSWERS: Readonly<Record<string, Ask>> = {
  jupiter,
  pancakeswap: (world, _path, query) => pancakeswap(world, query),
  dexscreener,
  pyth,
  "chainlink-streams": () => ({ body: { feeds: [{ feedID: `0x${feedOf("AAPL")}` }] } }),
  hyperliquid: (world, _path, _query, body) => hyperliquid(world, JSON.parse(body)),
  binance,
  binanceRwa: (world) => ({ body: { code: 0, data: ratios(world) } }),
  xstocks: issuersApi,
  chain: (world, path) => ({ body: contractOf(world, path.slice(1)) }),
  solana: (world, _path, _query, body) => ({ body: mintAccounts(world, JSON.parse(body)) }),
};

/** What a provider answers; one whose figures do not follow from the world answers as it was captured. */
export function answerOf(
  world: ReplayWorld,
  provider: string,
  { path, query, body }: { readonly path: string; readonly query: URLSearchParams; readonly body: string },
): Answer {
  return ANSWERS[provider]?.(world, path, query, body) ?? asCaptured(provider, path);
}

/** Of a provider whose figures do not follow from the world. */
function asCaptured(provider: string, path: string): Answer {
  const body = capturedAt(provider, path);
  return body === undefined ? { status: 404, body: {} } : { body };
}

/** US dollars per share now: up to a percent around where the day began. */
function fairPrice(world: ReplayWorld, ticker: string): number {
  const index = [...world.fair.keys()].indexOf(ticker);
  const minute = (world.now - REPLAY_NOW) / 60;
  const wave = Math.sin(minute / (47 + index)) * 0.008 + Math.sin(minute / 7) * 0.002;
  return Math.round((world.fair.get(ticker) ?? 0) * (1 + wave) * 1e4) / 1e4;
}

/** US dollars per whole raw token. */
function priceOf(world: ReplayWorld, { underlying, sharesPerToken }: ReplayToken): number {
  return fairPrice(world, underlying) * sharesPerToken;
}

/** Of a pool that holds as much on each side, for dollars. */
function boughtRaw(world: ReplayWorld, token: ReplayToken, usd: number): string {
  const out = usd / priceOf(world, token) / (1 + (2 * usd) / token.depthUsd);
  return (BigInt(Math.round(out * 1e8)) * 10n ** BigInt(token.decimals - 8)).toString();
}

/** A multiplier that was announced and counts since long ago, as lists and mints keep it. */
const DIVIDEND = { before: 0.998, at: REPLAY_NOW - 90 * 86_400 };
const isScaled = ({ shares }: ReplayToken) => shares === "multiplier";

function jupiter(world: ReplayWorld, path: string, query: URLSearchParams): Answer {
  if (path === "/price/v3") {
    const wanted = new Set((query.get("ids") ?? "").split(","));
    const rows: [mint: string, row: object][] = world.tokens
      .filter(({ chain, address }) => chain === "solana" && wanted.has(address))
      .map((token) => [token.address, jupiterRow(world, token)]);
    if (wanted.has(USDT_MINT)) rows.push([USDT_MINT, { usdPrice: world.usdtUsd, blockId: 1, decimals: 6 }]);
    return { body: Object.fromEntries(rows) };
  }
  const token = world.tokens.find(({ address }) => address === query.get("outputMint"));
  if (!token || token.depthUsd === 0) return { status: 400, body: { error: "Failed to get quotes" } };
  const amount = query.get("amount") ?? "0";
  const outAmount = boughtRaw(world, token, Number(amount) / 1e6);
  return { body: { inputMint: USDC_SOLANA, outputMint: token.address, inAmount: amount, outAmount } };
}

/** Of a scaled mint the price of a displayed unit, beside that of a raw one. */
function jupiterRow(world: ReplayWorld, token: ReplayToken) {
  const fair = fairPrice(world, token.underlying);
  const scaled = {
    multiplier: token.sharesPerToken * DIVIDEND.before,
    newMultiplier: token.sharesPerToken,
    newMultiplierEffectiveAt: new Date(DIVIDEND.at * 1_000).toISOString(),
    usdPricePrescaled: priceOf(world, token),
  };
  return {
    createdAt: "2025-06-11T09:41:51Z",
    liquidity: 4705584.7,
    usdPrice: isScaled(token) ? fair : priceOf(world, token),
    blockId: 447340810,
    decimals: token.decimals,
    priceChange24h: -0.615,
    stockData: {
      id: "xstocks",
      price: fair * STATED.jupiter,
      mcap: 683620908872,
      updatedAt: new Date((world.now - 20) * 1_000).toISOString(),
    },
    ...(isScaled(token) && { scaledUiConfig: scaled }),
  };
}

function pancakeswap(world: ReplayWorld, query: URLSearchParams): Answer {
  const wanted = query.get("tokenOut")?.toLowerCase();
  const token = world.tokens.find(({ address }) => address.toLowerCase() === wanted);
  if (!token || token.depthUsd === 0)
    return { status: 502, body: { statusCode: 502, message: "agg error: 42102 no route" } };
  const amount = query.get("amount") ?? "0";
  const outputAmount = boughtRaw(world, token, Number(BigInt(amount) / 10n ** 18n) * world.usdtUsd);
  return { body: { best: { inputAmount: amount, outputAmount } } };
}

function dexscreener(world: ReplayWorld, path: string): Answer {
  const [, kind, , chainId, list = ""] = path.split("/");
  const chain = chainId === "bsc" ? "bnb" : "solana";
  const wanted = new Set(list.split(",").map((text) => decodeURIComponent(text).toLowerCase()));
  const found = world.tokens.filter(
    (token) => token.chain === chain && wanted.has(token.address.toLowerCase()),
  );
  // The batch call names about one pair a token, and not the deepest.
  const pairs = found.flatMap((token) =>
    (kind === "tokens" ? token.pools.slice(0, 1) : token.pools).map((pool) => pairOf(world, token, pool)),
  );
  return { body: pairs };
}

function pairOf(world: ReplayWorld, token: ReplayToken, pool: ReplayPool) {
  const price = priceOf(world, token) * pool.priceFactor;
  return {
    chainId: token.chain === "bnb" ? "bsc" : "solana",
    dexId: "pancakeswap",
    pairAddress: pool.address,
    baseToken: { address: token.address },
    quoteToken: { address: token.chain === "bnb" ? USDT : USDC_SOLANA },
    priceNative: String(price),
    priceUsd: String(price),
    labels: ["v3"],
    txns: { h24: { buys: Math.ceil(pool.trades / 2), sells: Math.floor(pool.trades / 2) } },
    volume: { h24: pool.volumeUsd },
    liquidity: { usd: pool.liquidityUsd },
  };
}

const feedOf = (ticker: string) =>
  ticker === "USDT" ? USDT_FEED.id : Buffer.from(ticker).toString("hex").padStart(64, "0");

function pyth(world: ReplayWorld, path: string, query: URLSearchParams): Answer {
  if (path === "/v2/price_feeds") {
    const found = [...world.fair.keys()].filter((ticker) => ticker.includes(query.get("query") ?? ""));
    const attributesOf = (base: string) => ({ asset_type: "Equity", base, symbol: `Equity.US.${base}/USD` });
    return { body: found.map((ticker) => ({ id: feedOf(ticker), attributes: attributesOf(ticker) })) };
  }
  const wanted = new Set(query.getAll("ids[]"));
  const prices = [
    ...[...world.fair.keys()].map((ticker) => [ticker, fairPrice(world, ticker) * STATED.pyth] as const),
    ["USDT", world.usdtUsd] as const,
  ];
  const parsed = prices
    .filter(([ticker]) => wanted.has(feedOf(ticker)))
    .map(([ticker, usd]) => ({
      id: feedOf(ticker),
      price: {
        price: String(Math.round(usd * 1e5)),
        conf: String(Math.round(usd * 40)),
        expo: -5,
        publish_time: world.now - 2,
      },
    }));
  return { body: { binary: { encoding: "hex", data: [] }, parsed } };
}

/** What a venue paid by the hour. */
const HOURLY_FUNDING = "0.00000625";

function hyperliquid(world: ReplayWorld, question: Question): Answer {
  if (question.type === "fundingHistory") return { body: fundingHistory(question) };
  if (question.type !== "metaAndAssetCtxs") return { body: [] };
  const list = [...world.fair.keys()];
  return {
    body: [
      { universe: list.map((ticker) => ({ name: `xyz:${ticker}`, szDecimals: 3 })), collateralToken: 0 },
      list.map((ticker) => ({
        funding: HOURLY_FUNDING,
        openInterest: "120196.39",
        premium: "0.0004",
        midPx: null,
        impactPxs: null,
        oraclePx: String(fairPrice(world, ticker) * STATED.hyperliquid),
        markPx: String(fairPrice(world, ticker) * MARKS.hyperliquid),
      })),
    ],
  };
}

type Question = { type: string; coin?: string; startTime?: number; endTime?: number };

/** A few milliseconds past each hour, 500 at most. */
function fundingHistory({ coin, startTime = 0, endTime = 0 }: Question) {
  const rows: unknown[] = [];
  const first = Math.ceil(startTime / 3_600_000) * 3_600_000 + 12;
  for (let time = first; time <= endTime && rows.length < 500; time += 3_600_000)
    rows.push({ coin, fundingRate: HOURLY_FUNDING, premium: "0.0001", time });
  return rows;
}

const FUNDING_HOURS = 8;

function binance(world: ReplayWorld, path: string): Answer {
  const list = [...world.fair.keys()];
  const symbols = list.map((ticker) => `${ticker}USDT`);
  if (path === "/fapi/v1/exchangeInfo")
    return { body: { symbols: symbols.map((symbol) => binanceListing(symbol, { quoteAsset: "USDT" })) } };
  const funding = { adjustedFundingRateCap: "0.02500000", fundingIntervalHours: FUNDING_HOURS };
  if (path === "/fapi/v1/fundingInfo")
    return { body: symbols.map((symbol) => ({ symbol, ...funding, disclaimer: false })) };
  const step = FUNDING_HOURS * 3_600;
  return {
    body: list.map((ticker) => ({
      symbol: `${ticker}USDT`,
      markPrice: String(fairPrice(world, ticker) * MARKS.binance),
      indexPrice: String(fairPrice(world, ticker) * STATED.binance),
      lastFundingRate: "0.0001",
      interestRate: "0.00010000",
      nextFundingTime: Math.ceil((world.now + 1) / step) * step * 1_000,
      time: world.now * 1_000,
    })),
  };
}

function ratios(world: ReplayWorld) {
  return world.tokens
    .filter(({ shares }) => shares === "ratio")
    .map((token) => ({
      binanceChainId: token.chain === "bnb" ? "56" : "CT_501",
      tokenContractAddress: token.address,
      platformId: "ondo",
      underlyingTicker: token.underlying,
      tokenToShareRatio: String(token.sharesPerToken),
      statusInfo: { openState: true, marketStatus: "regular", reasonCode: "TRADING", reasonMsg: null },
      tokenPrice: String(priceOf(world, token)),
      referencePrice: String(fairPrice(world, token.underlying)),
    }));
}

/** All on one page, or the multiplier of one. */
function issuersApi({ tokens }: ReplayWorld, path: string, query: URLSearchParams): Answer {
  const network = query.get("network");
  const own = tokens.filter(
    ({ issuer, chain }) => issuer === "xstocks" && (chain === "solana") === (network === "Solana"),
  );
  const [, symbol] = /^\/api\/v2\/public\/assets\/(.+)\/multiplier$/.exec(path) ?? [];
  if (symbol !== undefined) {
    const currentMultiplier = own.find((token) => token.symbol === symbol)?.sharesPerToken;
    const body = { currentMultiplier, newMultiplier: null, activationDateTime: null, reason: null };
    return currentMultiplier === undefined ? { status: 404, body: {} } : { body };
  }
  const nodes = own.map(({ symbol, underlying, address }) => ({
    symbol,
    underlyingSymbol: underlying,
    isTradingHalted: false,
    deployments: [{ network, address }],
  }));
  return { body: { nodes, page: { currentPage: Number(query.get("page")), hasNextPage: false } } };
}

/** What a token's contract says of its shares. */
const contractOf = ({ tokens }: ReplayWorld, key: string) => ({
  ratio: String(tokens.find(({ assetKey }) => assetKey === key)?.sharesPerToken),
});

function mintAccounts({ tokens }: ReplayWorld, { params }: { params: [mints: string[]] }) {
  const value = params[0].map((mint) => {
    const token = tokens.find(({ address }) => address === mint);
    if (!token) return null;
    const [before, now] = [token.sharesPerToken * DIVIDEND.before, token.sharesPerToken].map(String);
    const change = { multiplier: before, newMultiplier: now, newMultiplierEffectiveTimestamp: DIVIDEND.at };
    return solanaMint(change, token.decimals);
  });
  return { jsonrpc: "2.0", id: 1, result: { context: { slot: 1 }, value } };
}
