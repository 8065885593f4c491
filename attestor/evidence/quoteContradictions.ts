/** Where a quote does not follow from the pools in the evidence, or its path cannot go through them. */
import { sortedTokens, tickSpacingOf } from "../pools/create2.ts";
import type { PoolState, UniswapV3State } from "../pools/poolState.ts";
import { type HopTrade, tinyAmount, tradePath } from "../pools/quote.ts";
import { isTickOfPrice } from "../pools/tickMath.ts";
import { ROUTE_SELECTORS } from "../registry.ts";
import { type Fault, fault } from "../values/fault.ts";
import type { Evidence } from "./evidence.ts";
import type { QuoteFacts } from "./facts.ts";

type Trade = Pick<Evidence["trade"], "side" | "inputDecimals" | "outputDecimals">;

/** None where amounts, words and ticks all follow. What a quoter says follows from nothing but the tiny trade's amount. */
export function quoteContradictions(quote: QuoteFacts, trade: Trade): Fault[] {
  if (quote.pools === null) return tinyAmountFaults(quote, trade, BigInt(quote.amountOutRaw));
  const faults = pathFaults(quote, quote.pools);
  return faults.length > 0 ? faults : amountFaults(quote, quote.pools, trade);
}

function pathFaults({ path, fees, selector }: QuoteFacts, pools: readonly PoolState[]): Fault[] {
  const hops = path.length - 1;
  if (pools.length !== hops) return [fault("pools_not_of_hops", { hops, pools: pools.length })];
  const kind = selector === ROUTE_SELECTORS["uniswap-v2"] ? "uniswap-v2" : "uniswap-v3";
  return pools.flatMap((pool, hop) => {
    const [token0, token1] = sortedTokens(path[hop] as string, path[hop + 1] as string);
    if (pool.token0 !== token0 || pool.token1 !== token1)
      return [fault("pool_of_other_tokens", { pool: hop + 1 })];
    if (pool.kind !== kind) return [fault("pool_of_another_kind", { pool: hop + 1 })];
    return pool.kind === "uniswap-v2" ? [] : v3Faults(pool, fees[hop], hop);
  });
}

function v3Faults(pool: UniswapV3State, fee: number | undefined, hop: number): Fault[] {
  const faults: Fault[] = [];
  const add = (code: string) => faults.push(fault(code, { pool: hop + 1 }));
  if (pool.fee !== fee) add("pool_of_another_fee");
  if (pool.tickSpacing !== tickSpacingOf(pool.fee)) add("tick_spacing_not_of_fee");
  if (!isTickOfPrice(pool.tick, BigInt(pool.sqrtPriceX96))) add("tick_not_of_price");
  if (!isAscending(pool.words.map(({ word }) => word))) add("words_not_ascending");
  if (!isAscending(pool.ticks.map(({ tick }) => tick))) add("ticks_not_ascending");
  return faults;
}

const isAscending = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || (values[index - 1] as number) < value);

function amountFaults(quote: QuoteFacts, pools: readonly PoolState[], trade: Trade): Fault[] {
  const input = quote.path[0] as string;
  const amountIn = BigInt(quote.amountInRaw);
  const whole = tradePath(pools, input, amountIn);
  if (whole.outcome === "reverts") return [fault("pools_cannot_trade_amount")];
  if (whole.outcome === "beyond") return [fault("pool_state_missing", { at: whole.at })];
  const faults = pools.flatMap((pool, hop) => walkFaults(pool, whole.hops[hop] as HopTrade, hop));
  if (whole.amountOut.toString() !== quote.amountOutRaw)
    faults.push(
      fault("quote_not_of_pools", { pays: whole.amountOut.toString(), quoted: quote.amountOutRaw }),
    );
  faults.push(...tinyAmountFaults(quote, trade, whole.amountOut));
  const tiny = tradePath(pools, input, tinyAmountOf(quote, trade, whole.amountOut));
  const tinyOut = tiny.outcome === "trades" ? tiny.amountOut.toString() : "nothing";
  if (tinyOut !== quote.referenceAmountOutRaw)
    faults.push(fault("tiny_quote_not_of_pools", { pays: tinyOut, quoted: quote.referenceAmountOutRaw }));
  return faults;
}

/** A tiny trade as large as the whole one would hide what the size costs. */
function tinyAmountFaults(quote: QuoteFacts, trade: Trade, amountOut: bigint): Fault[] {
  // A trade for nothing has no price, and so no tiny one of a certain worth.
  if (amountOut === 0n) return [];
  const amount = tinyAmountOf(quote, trade, amountOut).toString();
  if (amount === quote.referenceAmountInRaw) return [];
  return [fault("tiny_trade_of_another_amount", { amount, quoted: quote.referenceAmountInRaw })];
}

function tinyAmountOf({ amountInRaw }: QuoteFacts, trade: Trade, amountOut: bigint): bigint {
  const decimals = trade.side === "buy" ? trade.inputDecimals : trade.outputDecimals;
  return tinyAmount(trade.side, decimals, BigInt(amountInRaw), amountOut);
}

/** Words and ticks beyond those that the trade looked at; one that is missing has ended the trade already. */
function walkFaults(pool: PoolState, trade: HopTrade, hop: number): Fault[] {
  if (pool.kind === "uniswap-v2" || trade.outcome !== "trades") return [];
  const words = pool.words.map(({ word }) => word).filter((word) => !trade.words.includes(word));
  const ticks = pool.ticks.map(({ tick }) => tick).filter((tick) => !trade.ticks.includes(tick));
  return [
    ...words.map((word) => fault("word_not_needed", { word, pool: hop + 1 })),
    ...ticks.map((tick) => fault("tick_not_crossed", { tick, pool: hop + 1 })),
  ];
}
