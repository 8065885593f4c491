/** What the answers of one round say, read with nothing but JSON and arithmetic: no code of `market/`. */
import type { Heard } from "../../support/providers/replay.ts";

type Json = ReturnType<typeof JSON.parse>;

export interface Token {
  readonly assetKey: string;
  readonly symbol: string;
  readonly underlying: string;
  readonly issuer: string;
  readonly chain: string;
  readonly address: string;
  readonly decimals: number;
  readonly shares: string;
}

/** One source's word; `at` in unix seconds by its own clock, null where it states none. */
export interface Word {
  readonly source: string;
  readonly origin: string;
  readonly figure: number;
  /** Half-width, basis points. */
  readonly width: number;
  readonly at: number | null;
}

export interface Market {
  readonly venue: string;
  readonly ticker: string;
  readonly mark: number;
  readonly index: number;
  readonly rate: number;
  readonly at: number | null;
  /** Hours as the venue states them, seconds to the next funding; null: not told. */
  readonly stated: number | null | undefined;
  readonly next: number | null;
}

export interface Pool {
  readonly address: string;
  readonly owner: string;
  readonly price: number | null;
  readonly liquidity: number | null;
  readonly volume: number | null;
  readonly trades: number | null;
}

const USDT_MINT = "Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB";
const USDT_FEED = "2b89b9dc8fdf9f34709a5b106b472f0f39bb6ca9ce04b0fd7f2e971688e2e53b";
const LAST_SECOND = 4_102_444_800;
const DECIMAL = /^[+-]?(\d{1,60}(\.\d{0,60})?|\.\d{1,60})([eE][+-]?\d{1,2})?$/;

/** Beyond 39 digits on either side of the point nothing is traded. */
const isHeld = (text: string) => {
  const [digits = "", exponent = 0] = text.split(/e/i);
  const fraction = (digits.split(".")[1] ?? "").replace(/0+$/, "").length;
  return Math.abs(Number(text)) < 1e39 && fraction - Number(exponent) <= 39;
};
/** NaN for what is no number. */
const number = (value: unknown): number =>
  (typeof value === "number" || typeof value === "string") &&
  DECIMAL.test(String(value)) &&
  isHeld(String(value))
    ? Number(value)
    : Number.NaN;
const above = (...values: unknown[]) => values.every((value) => number(value) > 0);
const isTime = (seconds: number) => seconds >= 0 && seconds <= LAST_SECOND;
/** Within two basis points. */
const isQuotient = (ratio: unknown, price: unknown, perShare: unknown) =>
  Math.abs(number(price) / number(perShare) / number(ratio) - 1) <= 0.0002;

/** The rows of the last answer that is JSON. */
const lastOf = (answers: readonly Heard[], provider: string, path: RegExp | string, asked = "") =>
  answers.findLast(
    (one) =>
      one.provider === provider &&
      one.status === 200 &&
      typeof one.body !== "string" &&
      (typeof path === "string" ? one.path === path : path.test(one.path)) &&
      `${one.query} ${one.asked}`.includes(asked),
  );

/** By a key the row of the greatest time; of several the first. */
function newest(rows: readonly Json[], keyOf: (row: Json) => string, timeOf: (row: Json) => number) {
  const found = new Map<string, Json>();
  const time = (row: Json) => (isTime(timeOf(row)) ? timeOf(row) : -1);
  for (const row of rows)
    if (!found.has(keyOf(row)) || time(row) > time(found.get(keyOf(row)))) found.set(keyOf(row), row);
  return found;
}

/** By ticker, the dollar's among them. */
export function pythPrices(answers: readonly Heard[]) {
  const prices = new Map<string, { price: number; confidence: number; at: number }>();
  for (const asked of ["4141504c", USDT_FEED]) {
    const rows = lastOf(answers, "pyth", "/v2/updates/price/latest", asked)?.body.parsed ?? [];
    for (const [id, { price }] of newest(
      rows,
      ({ id }) => id,
      ({ price }) => price.publish_time,
    )) {
      const ticker = id === USDT_FEED ? "USDT" : Buffer.from(id, "hex").toString().replaceAll("\0", "");
      const scale = 10 ** price.expo;
      if (above(price.price) && isTime(price.publish_time))
        prices.set(ticker, {
          price: price.price * scale,
          confidence: price.conf * scale,
          at: price.publish_time,
        });
    }
  }
  return prices;
}

interface Listed {
  readonly usd: number;
  readonly ratio: number | null;
  readonly stock: { readonly origin: string; readonly price: number; readonly at: number } | null;
}

/** By mint; a row that contradicts itself says nothing. */
export function jupiterList(answers: readonly Heard[], tokens: readonly Token[], now: number) {
  const rows = new Map<string, Listed>();
  const body = lastOf(answers, "jupiter", "/price/v3")?.body ?? {};
  for (const { address, shares } of [...tokens, { address: USDT_MINT, shares: "" }]) {
    const row = body[address];
    const scaled = row?.scaledUiConfig;
    if (!above(row?.usdPrice) || (shares === "multiplier") !== Boolean(scaled)) continue;
    const factors = scaled ? [scaled.multiplier, scaled.newMultiplier] : [];
    if (scaled && !factors.some((one) => isQuotient(one, scaled.usdPricePrescaled, row.usdPrice))) continue;
    const isNew = scaled && now >= Date.parse(scaled.newMultiplierEffectiveAt) / 1_000;
    const { id = "jupiter", price, updatedAt } = row.stockData ?? {};
    rows.set(address, {
      usd: number(scaled ? scaled.usdPricePrescaled : row.usdPrice),
      ratio: scaled ? number(isNew ? scaled.newMultiplier : scaled.multiplier) : null,
      stock: above(price)
        ? { origin: id, price: number(price), at: Math.floor(Date.parse(updatedAt) / 1_000) }
        : null,
    });
  }
  return { rows, usdt: rows.get(USDT_MINT)?.usd ?? null };
}

export function hyperliquidMarkets(answers: readonly Heard[]): Market[] | null {
  const body = lastOf(answers, "hyperliquid", "/info", "metaAndAssetCtxs")?.body;
  if (!body) return null;
  return body[0].universe.flatMap(({ name }: Json, index: number): Market[] => {
    const { markPx, oraclePx, funding } = body[1][index];
    if (!above(markPx, oraclePx) || Number.isNaN(number(funding))) return [];
    const [mark, oracle, rate] = [markPx, oraclePx, funding].map(number) as [number, number, number];
    return [
      {
        venue: "hyperliquid",
        ticker: name.slice(4),
        mark,
        index: oracle,
        rate,
        at: null,
        stated: null,
        next: null,
      },
    ];
  });
}

/** Hours between the fundings that Hyperliquid tells of; null: they are not evenly apart, or cannot be had. */
export function hyperliquidStep(answers: readonly Heard[]): number | null {
  const rows: Json[] = lastOf(answers, "hyperliquid", "/info", "fundingHistory")?.body ?? [];
  const hours = rows.map(({ time }) => Math.floor(time / 3_600_000));
  const steps = new Set(hours.slice(1).map((hour, index) => hour - hours[index]!));
  return steps.size === 1 ? [...steps][0]! : null;
}

export function binanceMarkets(answers: readonly Heard[]): Market[] {
  const body = (path: string) => lastOf(answers, "binance", `/fapi/v1/${path}`)?.body;
  const [info, intervals, premiums] = ["exchangeInfo", "fundingInfo", "premiumIndex"].map(body);
  if (!info || !intervals || !premiums) return [];
  const rows = newest(
    premiums,
    ({ symbol }) => symbol,
    ({ time }) => Math.floor(time / 1_000),
  );
  return info.symbols.flatMap(({ symbol, baseAsset }: Json): Market[] => {
    const row = rows.get(symbol);
    if (!row || !above(row.markPrice, row.indexPrice) || Number.isNaN(number(row.lastFundingRate))) return [];
    const at = Math.floor(row.time / 1_000);
    const interval = intervals.find((one: Json) => one.symbol === symbol);
    return [
      {
        ...{ venue: "binance", ticker: baseAsset, at },
        mark: number(row.markPrice),
        index: number(row.indexPrice),
        rate: number(row.lastFundingRate),
        stated: interval ? (interval.fundingIntervalHours ?? null) : undefined,
        next: Math.floor(row.nextFundingTime / 1_000),
      },
    ];
  });
}

/** By address: shares of a token, and whether it is paused. */
export function binanceRatios(answers: readonly Heard[]) {
  const rows = new Map<string, { ratio: number; mark: string; isHalted: boolean }>();
  for (const row of lastOf(answers, "binanceRwa", /./)?.body.data ?? []) {
    const { tokenContractAddress: address, tokenToShareRatio: ratio, tokenPrice, referencePrice } = row;
    if (row.binanceChainId !== "56" || rows.has(address) || !isQuotient(ratio, tokenPrice, referencePrice))
      continue;
    const isHalted = row.statusInfo.reasonCode !== "TRADING";
    rows.set(address, { ratio: number(ratio), mark: `${tokenPrice}/${referencePrice}`, isHalted });
  }
  return rows;
}

/** By mint. */
export function mintAccounts(answers: readonly Heard[], now: number) {
  const mints = new Map<string, { ratio: number; isHalted: boolean }>();
  const answer = lastOf(answers, "solana", /./);
  const asked: string[] = answer ? JSON.parse(answer.asked).params[0] : [];
  for (const [index, mint] of asked.entries()) {
    const extensions: Json[] = answer?.body.result.value[index]?.data.parsed.info.extensions ?? [];
    const stateOf = (name: string) => extensions.find(({ extension }) => extension === name)?.state;
    const change = stateOf("scaledUiAmountConfig");
    if (!change) continue;
    const isNew = now >= change.newMultiplierEffectiveTimestamp;
    mints.set(mint, {
      ratio: number(isNew ? change.newMultiplier : change.multiplier),
      isHalted: stateOf("pausableConfig")?.paused === true,
    });
  }
  return mints;
}

/** By asset key, whether the issuer has halted it; null: it is not in the list. */
export function issuersHalts(answers: readonly Heard[], tokens: readonly Token[]) {
  const halts = new Map<string, boolean | null>();
  for (const token of tokens.filter(({ issuer }) => issuer === "xstocks")) {
    const network = token.chain === "solana" ? "network=Solana" : "network=BinanceSmartChain";
    const nodes: Json[] = lastOf(answers, "xstocks", /assets$/, network)?.body.nodes ?? [];
    const node = nodes.find(({ symbol }) => symbol === token.symbol);
    if (nodes.length > 0) halts.set(token.assetKey, node?.isTradingHalted ?? null);
  }
  return halts;
}

/** By symbol. */
export const issuersMultipliers = (answers: readonly Heard[]) =>
  new Map(
    answers.flatMap(({ provider, path, body }): [string, number][] => {
      const [, symbol] = provider === "xstocks" ? (/assets\/(.+)\/multiplier$/.exec(path) ?? []) : [];
      return symbol && above(body.currentMultiplier) ? [[symbol, number(body.currentMultiplier)]] : [];
    }),
  );

/** By asset key, as the token's contract has it. */
export const contractRatios = (answers: readonly Heard[]) =>
  new Map(
    answers.flatMap(({ provider, path, body }): [string, number][] =>
      provider === "chain" && body.ratio !== null ? [[path.slice(1), number(body.ratio)]] : [],
    ),
  );

/** A token's pools by the pairs that were told of it; of a pair that comes again the last counts. */
export function poolsOf(answers: readonly Heard[], tokens: readonly Token[]): Pool[] {
  const pools = new Map<string, Pool>();
  const owner = (chain: string, address: string) =>
    tokens.find((token) => token.chain === chain && token.address === address);
  for (const { chain, address } of tokens) {
    const body: Json[] =
      lastOf(answers, "dexscreener", new RegExp(`^/token-pairs/.*${address}$`, "i"))?.body ?? [];
    for (const pair of body) {
      const [base, quote] = [pair.baseToken.address, pair.quoteToken.address];
      if (pair.chainId !== (chain === "bnb" ? "bsc" : chain) || ![base, quote].includes(address)) continue;
      const token = owner(chain, base) ?? owner(chain, quote);
      if (!token) continue;
      const usd =
        token.address === base ? number(pair.priceUsd) : number(pair.priceUsd) / number(pair.priceNative);
      pools.set(pair.pairAddress, {
        address: pair.pairAddress,
        owner: token.assetKey,
        price: usd > 0 && usd < 1e39 ? usd : null,
        liquidity: pair.liquidity?.usd ?? null,
        volume: pair.volume?.h24 ?? null,
        trades: pair.txns?.h24 ? pair.txns.h24.buys + pair.txns.h24.sells : null,
      });
    }
  }
  return [...pools.values()];
}

const DOLLARS: Record<string, number> = { solana: 1e6, bnb: 1e18 };

/** Tokens for so many dollars; NaN: nobody has answered that. */
export function bought(answers: readonly Heard[], { chain, address, decimals }: Token, usd: number): number {
  const amount = String(BigInt(usd) * BigInt(DOLLARS[chain]!));
  const answer = answers.findLast(
    ({ query, status }) =>
      status === 200 &&
      (query.get("outputMint") ?? query.get("tokenOut"))?.toLowerCase() === address.toLowerCase() &&
      query.get("amount") === amount,
  );
  const { inputAmount, outputAmount } = answer?.body.best ?? {
    inputAmount: answer?.body.inAmount,
    outputAmount: answer?.body.outAmount,
  };
  return inputAmount === amount ? Number(outputAmount) / 10 ** decimals : Number.NaN;
}
