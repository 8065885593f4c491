/**
 * A quote from the state of its pools. The same arithmetic makes it and checks it.
 *
 * Of a V3 pool the evidence has exactly what the trade of the whole amount reads. These are the words of `tickBitmap`
 * that the pool's search for the next tick reads, and the initialized ticks that the price crosses or ends on. The
 * tiny trade follows the same path, but not as far. A quote thus determines its words and ticks, and a verifier finds
 * each that is missing, extra or duplicated.
 */
import type { PoolState, UniswapV2State, UniswapV3State } from "./poolState.ts";
import { tradeV3, type V3Pool, type V3Trade } from "./v3.ts";

/** What a hop pays and what it looked at; `words` and `ticks` are empty for V2. */
export type HopTrade = V3Trade;

export type PathTrade =
  | { readonly outcome: "trades"; readonly amountOut: bigint; readonly hops: readonly HopTrade[] }
  | Exclude<V3Trade, { outcome: "trades" }>;

export function poolOf(state: UniswapV3State): V3Pool {
  const words = new Map(state.words.map(({ word, bitmap }) => [word, BigInt(bitmap)]));
  const ticks = new Map(state.ticks.map(({ tick, liquidityNet }) => [tick, BigInt(liquidityNet)]));
  return {
    fee: state.fee,
    tickSpacing: state.tickSpacing,
    sqrtPriceX96: BigInt(state.sqrtPriceX96),
    tick: state.tick,
    liquidity: BigInt(state.liquidity),
    word: (index) => words.get(index),
    liquidityNet: (tick) => ticks.get(tick),
  };
}

export function tradeV2(
  { feeBps, reserve0, reserve1 }: Pick<UniswapV2State, "feeBps" | "reserve0" | "reserve1">,
  zeroForOne: boolean,
  amountIn: bigint,
): HopTrade {
  const reserves = { feeBps, reserve0: BigInt(reserve0), reserve1: BigInt(reserve1) };
  const amountOut = quoteV2(reserves, zeroForOne, amountIn);
  if (amountOut === null || amountOut === 0n) return { outcome: "reverts" };
  return { outcome: "trades", amountOut, words: [], ticks: [] };
}

/**
 * What an amount becomes on its way through pools.
 * @param input address of the token that goes into the first pool, EIP-55
 * @param amountIn raw units
 */
export const tradePath = (pools: readonly PoolState[], input: string, amountIn: bigint): PathTrade =>
  pathThrough(pools, input)(amountIn);

/** The same for many amounts: the pools are read once. */
export function pathThrough(pools: readonly PoolState[], input: string): (amountIn: bigint) => PathTrade {
  const traders = pools.map((pool) => {
    if (pool.kind === "uniswap-v2") return (...trade: [boolean, bigint]) => tradeV2(pool, ...trade);
    const opened = poolOf(pool);
    return (...trade: [boolean, bigint]) => tradeV3(opened, ...trade);
  });
  return (amountIn) => {
    const hops: HopTrade[] = [];
    let amount = amountIn;
    let token = input;
    for (const [index, { token0, token1 }] of pools.entries()) {
      const zeroForOne = token === token0;
      const hop = (traders[index] as (typeof traders)[number])(zeroForOne, amount);
      if (hop.outcome !== "trades") return hop;
      hops.push(hop);
      amount = hop.amountOut;
      token = zeroForOne ? token1 : token0;
    }
    return { outcome: "trades", amountOut: amount, hops };
  };
}

/** What a tiny trade is worth, in whole settlement tokens: far below any depth, far above rounding. */
const TINY_SETTLEMENT = 10n;

/**
 * The input of the tiny trade that impact and price are measured by: worth about ten settlement tokens, or the whole
 * amount where that is less.
 * @param side `buy`: the input is the settlement token
 * @param amountIn raw units, as `amountOut`, which is what it pays
 */
export function tinyAmount(
  side: "buy" | "sell",
  settlementDecimals: number,
  amountIn: bigint,
  amountOut: bigint,
): bigint {
  const ten = TINY_SETTLEMENT * 10n ** BigInt(settlementDecimals);
  const tiny = side === "buy" ? ten : (amountIn * ten) / amountOut;
  if (tiny === 0n) return 1n;
  return tiny < amountIn ? tiny : amountIn;
}

const MAX_UINT112 = 2n ** 112n - 1n;

interface V2Pool {
  /** What the router takes of the input, in basis points. */
  readonly feeBps: number;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

/**
 * What the router's `getAmountsOut` answers, rounded down as there.
 * @param zeroForOne token0 comes in, token1 goes out
 * @param amountIn raw units
 * @returns raw units; null where the pair cannot trade it: it is empty, or would hold more than it can count
 */
function quoteV2(pool: V2Pool, zeroForOne: boolean, amountIn: bigint): bigint | null {
  const [reserveIn, reserveOut] = zeroForOne
    ? [pool.reserve0, pool.reserve1]
    : [pool.reserve1, pool.reserve0];
  if (amountIn <= 0n || reserveIn === 0n || reserveOut === 0n) return null;
  if (reserveIn + amountIn > MAX_UINT112) return null;
  const afterFee = amountIn * BigInt(10_000 - pool.feeBps);
  return (afterFee * reserveOut) / (reserveIn * 10_000n + afterFee);
}
