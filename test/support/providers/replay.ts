/**
 * The live market's providers on one local server, each under a path of its own and in its own shapes. What
 * they say follows from a small world that a test sets, and lies where the test tells it to.
 */

import { text } from "node:stream/consumers";
import type { TokenFacts } from "../../../attestor/evidence/facts.ts";
import type { Database } from "../../../database/open.ts";
import type { MarketDeps } from "../../../market/collect/types.ts";
import { connectMarket, type LiveDeps } from "../../../market/providers/connect.ts";
import { USDT_MINT } from "../../../market/providers/jupiter.ts";
import { UNLIMITED } from "../../../market/providers/limits.ts";
import { PROVIDERS } from "../../../market/providers/providers.ts";
import { USDT_FEED } from "../../../market/providers/pyth.ts";
import type { MarketAsset } from "../../../market/queries.ts";
import { localServer } from "../ports.ts";
import { binanceListing, capturedAt, solanaMint } from "./captures.ts";

export const REPLAY_NOW = 1_795_186_800;
const USDT = "0x55d398326f99059fF775485246999027B3197955";
const USDC_SOLANA = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

export interface ReplayPool {
  readonly address: string;
  /** As a part of the token's fair price. */
  readonly priceFactor: number;
  readonly liquidityUsd: number;
  readonly volumeUsd: number;
  /** Buys and sells of the last day. */
  readonly trades: number;
}

export interface ReplayToken extends MarketAsset {
  readonly shares: NonNullable<MarketAsset["shares"]>;
  readonly sharesPerToken: number;
  pools: ReplayPool[];
  /** What buys find in all its pools; 0: nobody quotes it. */
  depthUsd: number;
}

export interface ReplayWorld {
  /** Unix seconds. */
  now: number;
  /** US dollars per share at `REPLAY_NOW`, by ticker; from then on prices move as those of a quiet day do. */
  readonly fair: Map<string, number>;
  tokens: ReplayToken[];
  /** What USDT is worth, US dollars: quotes on BNB chain are in it. */
  usdtUsd: number;
  /** Providers that answer 503. */
  readonly down: Set<string>;
  /**
   * Rewrites an answer on its way out, as a provider does that renames a field; a text is no JSON.
   * @param asked provider, path, query and body
   */
  rewrite: (provider: string, body: unknown, asked: string) => unknown;
}

/** Each source's part of the fair price: the median of the references is half a basis point above it. */
const STATED = { jupiter: 1.0002, pyth: 1, hyperliquid: 0.9999, binance: 1.0001 };
/** Premiums within the clamp, in which venues pay their interest alone. */
const MARKS = { hyperliquid: 1.0003, binance: 1.0005 };

/** One of a test's own is closed by `await using`. */
export interface Replay extends AsyncDisposable {
  readonly world: ReplayWorld;
  readonly baseUrls: NonNullable<LiveDeps["baseUrls"]>;
  /** Provider and path of every request, in order. */
  readonly asked: string[];
  /** For `connectMarket`: without network, limits and further attempts. */
  readonly deps: Omit<LiveDeps, "tokens">;
  close(): Promise<void>;
}

/** @param tickers what is traded, at 100 dollars a share and more; each as an xStock on both chains and one of Ondo */
export function replayWorld(tickers: readonly string[]): ReplayWorld {
  const fair = new Map(tickers.map((ticker, index) => [ticker, 100 + 10 * index]));
  return {
    now: REPLAY_NOW,
    fair,
    tokens: tickers.flatMap((ticker, index) => [
      token(ticker, index, "solana", "xstocks", "multiplier", 1.0057),
      token(ticker, index, "bnb", "xstocks", "rebasing", 1),
      token(ticker, index, "bnb", "ondo", "ratio", 2),
    ]),
    usdtUsd: 1,
    down: new Set(),
    rewrite: (_provider, body) => body,
  };
}

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function addressOf(chain: "solana" | "bnb", issuer: string, index: number): string {
  const number = (issuer === "ondo" ? 500 : 1) + index;
  return chain === "bnb"
    ? `0x${number.toString(16).padStart(40, "a")}`
    : `Xs${BASE58[number % 58]}${BASE58[Math.floor(number / 58) % 58]}${"b".repeat(39)}`;
}

function pool(
  letter: string,
  { chain, address }: Pick<MarketAsset, "chain" | "address">,
  liquidityUsd: number,
  volumeUsd = liquidityUsd / 2,
): ReplayPool {
  const own = chain === "bnb" ? `0x${letter}${address.slice(3)}` : `${letter}${address.slice(1)}`;
  return { address: own, priceFactor: 1, liquidityUsd, volumeUsd, trades: 40 };
}

function token(
  ticker: string,
  index: number,
  chain: "solana" | "bnb",
  issuer: "xstocks" | "ondo",
  shares: ReplayToken["shares"],
  sharesPerToken: number,
): ReplayToken {
  const address = addressOf(chain, issuer, index);
  return {
    assetKey: `${chain}-${issuer}-${ticker}`,
    symbol: `${ticker}${issuer === "ondo" ? "on" : "x"}`,
    underlying: ticker,
    nameEn: ticker,
    nameCn: ticker,
    issuer,
    chain,
    address,
    decimals: chain === "bnb" ? 18 : 8,
    tags: [],
    shares,
    sharesPerToken,
    // The deepest does not come first.
    pools: [pool("c", { chain, address }, 40_000, 9_000), pool("d", { chain, address }, 900_000, 700_000)],
    depthUsd: 1_000_000,
  };
}

/**
 * A world of listed tokens, each with the share ratio of its kind.
 * @param liquidityOf US dollars that the pool which an index names first states
 */
export function worldOf(
  listed: readonly (MarketAsset & Pick<ReplayToken, "shares">)[],
  liquidityOf: (index: number) => number,
): ReplayWorld {
  const tickers = [...new Set(listed.map(({ underlying }) => underlying))];
  const tokens = listed.map((asset, index): ReplayToken => {
    const shares = { multiplier: 1.0057, rebasing: 1, ratio: 2 }[asset.shares];
    const liquidityUsd = liquidityOf(index);
    const pools = [pool("c", asset, liquidityUsd), pool("d", asset, 2 * liquidityUsd)];
    return { ...asset, sharesPerToken: shares, pools, depthUsd: 3 * liquidityUsd };
  });
  return { ...replayWorld(tickers), tokens };
}

/** What was asked and answered. */
export interface Heard {
  readonly provider: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The request's body. */
  readonly asked: string;
  readonly status: number;
  readonly body: any;
}

/**
 * Starts the server. Close it.
 * @param admit whether a provider takes a request now; else it answers 429
 * @param onAnswer told of every answer as it goes out
 */
export async function startReplay(
  world: ReplayWorld,
  admit: (provider: string) => boolean = () => true,
  onAnswer: (heard: Heard) => void = () => {},
): Promise<Replay> {
  const asked: string[] = [];
  const respond = (url: URL, body: string): Response => {
    const [, provider = "", ...rest] = url.pathname.split("/");
    const path = `/${rest.join("/")}`;
    asked.push(`${provider}${path}`);
    if (!admit(provider)) return Response.json({ error: "too many requests" }, { status: 429 });
    if (world.down.has(provider)) return Response.json({ error: "down" }, { status: 503 });
    const answer = ANSWERS[provider]?.(world, path, url.searchParams, body) ?? asCaptured(provider, path);
    const status = answer.status ?? 200;
    const request = `${provider}${path}?${url.searchParams} ${body}`;
    const told = status === 404 ? answer.body : world.rewrite(provider, answer.body, request);
    onAnswer({ provider, path, query: url.searchParams, asked: body, status, body: told });
    return typeof told === "string" ? new Response(told, { status }) : Response.json(told, { status });
  };
  const { url: base, close } = await localServer(async (request, response) => {
    const answer = respond(new URL(request.url ?? "/", base), await text(request));
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  const baseUrls = Object.fromEntries(PROVIDERS.map(({ name }) => [name, `${base}/${name}`]));
  return {
    world,
    asked,
    baseUrls,
    deps: {
      // No network is needed.
      fetch: (async (input: URL, init?: RequestInit) =>
        respond(new URL(input), String(init?.body ?? ""))) as typeof fetch,
      now: () => world.now * 1_000,
      keys: { pyth: "key", binanceRwa: "key:secret" },
      // Nobody waits: time passes where the test says so.
      limits: UNLIMITED,
      attempts: 1,
      baseUrls,
      factsOf: async (assetKey) => {
        const said: any = await respond(new URL(`${base}/chain/${assetKey}`), "").json();
        return said.ratio === null ? null : factsOf(said.ratio);
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What the chain says of a token whose factor is known. */
const factsOf = (value: string): TokenFacts => ({
  announcement: null,
  layout: null,
  halts: [],
  factor: {
    provider: "erc-8056",
    source: "rpc",
    blockNumber: 1,
    address: null,
    receivedAt: REPLAY_NOW,
    rawHash: `0x${"00".repeat(32)}`,
    value,
  },
});

/** For `collectRound`: what asks the replayed providers, in a regular session and without a word. */
export function replayCollector(replay: Replay, db: Database, more: Partial<MarketDeps> = {}): MarketDeps {
  const tokens = replay.world.tokens;
  return {
    db,
    assets: tokens,
    market: connectMarket({ ...replay.deps, tokens }),
    sessionAt: () => "regular",
    now: () => replay.world.now * 1_000,
    log: { warn: () => {}, error: () => {} },
    ...more,
  };
}

type Answer = { readonly status?: number; readonly body: unknown };

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
