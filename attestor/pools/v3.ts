/**
 * A whole trade through a Uniswap V3 pool, as the pool's own `swap` does it for an exact input without a price limit.
 * It steps from tick to tick until the input is used up or the price can go no further.
 */
import { MAX_TICK, MIN_TICK } from "./poolState.ts";
import { swapStep } from "./swapMath.ts";
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick } from "./tickMath.ts";

export interface V3Pool {
  /** Hundredths of a bip. */
  readonly fee: number;
  readonly tickSpacing: number;
  readonly sqrtPriceX96: bigint;
  readonly tick: number;
  readonly liquidity: bigint;
  /** A word of `tickBitmap`; undefined where it is not known. */
  word(index: number): bigint | undefined;
  /** `liquidityNet` of an initialized tick; undefined where it is not known. */
  liquidityNet(tick: number): bigint | undefined;
}

export type V3Trade =
  | {
      readonly outcome: "trades";
      /** Raw units of the output. */
      readonly amountOut: bigint;
      /** The words of the bitmap that were looked at, ascending and consecutive. */
      readonly words: readonly number[];
      /** The initialized ticks that were crossed, ascending. */
      readonly ticks: readonly number[];
    }
  /** The pool would revert, or pay nothing. */
  | { readonly outcome: "reverts" }
  /** It walks over what is not known: a word of the bitmap, or a tick that a word names. */
  | { readonly outcome: "beyond"; readonly at: string };

const REVERTS = { outcome: "reverts" } as const;
const MAX_INT256 = 2n ** 255n - 1n;
const MAX_UINT128 = 2n ** 128n - 1n;

/**
 * @param zeroForOne token0 comes in, token1 goes out
 * @param amountIn raw units of the input
 */
export function tradeV3(pool: V3Pool, zeroForOne: boolean, amountIn: bigint): V3Trade {
  const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n;
  if (amountIn <= 0n || amountIn > MAX_INT256) return REVERTS;
  if (zeroForOne ? pool.sqrtPriceX96 <= limit : pool.sqrtPriceX96 >= limit) return REVERTS;
  const fee = BigInt(pool.fee);
  const words: number[] = [];
  const ticks: number[] = [];
  let { sqrtPriceX96: price, tick, liquidity } = pool;
  let remaining = amountIn;
  let amountOut = 0n;
  while (remaining !== 0n && price !== limit) {
    const next = nextTick(pool, tick, zeroForOne);
    if (next.bitmap === undefined) return { outcome: "beyond", at: `word ${next.word}` };
    if (words.at(-1) !== next.word) words.push(next.word);
    const end = Math.max(MIN_TICK, Math.min(MAX_TICK, next.tick));
    const endPrice = sqrtRatioAtTick(end);
    const target = (zeroForOne ? endPrice < limit : endPrice > limit) ? limit : endPrice;
    const step = swapStep(price, target, liquidity, remaining, fee);
    remaining -= step.amountIn + step.fee;
    amountOut += step.amountOut;
    price = step.price;
    // Where the price has not come to the tick, the input is used up or the limit is reached: either ends the trade.
    if (price !== endPrice) break;
    if (next.isInitialized) {
      const net = pool.liquidityNet(end);
      if (net === undefined) return { outcome: "beyond", at: `tick ${end}` };
      ticks.push(end);
      liquidity += zeroForOne ? -net : net;
      if (liquidity < 0n || liquidity > MAX_UINT128) return REVERTS;
    }
    tick = zeroForOne ? end - 1 : end;
  }
  // A router pays what the pool asks for, and a pool that asks for nothing is refused.
  if (remaining === amountIn || amountOut === 0n) return REVERTS;
  return { outcome: "trades", amountOut, words: ascending(words), ticks: ascending(ticks) };
}

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** What the contract's `nextInitializedTickWithinOneWord` finds: the next tick of one word, or the word's last. */
function nextTick(pool: V3Pool, tick: number, down: boolean) {
  const from = Math.floor(tick / pool.tickSpacing) + (down ? 0 : 1);
  const word = from >> 8;
  const bit = from & 255;
  const bitmap = pool.word(word);
  if (bitmap === undefined) return { word, bitmap, tick, isInitialized: false };
  const ahead = down ? bitmap & ((1n << BigInt(bit + 1)) - 1n) : (bitmap >> BigInt(bit)) << BigInt(bit);
  const isInitialized = ahead !== 0n;
  const found = !isInitialized ? (down ? 0 : 255) : down ? highestBit(ahead) : lowestBit(ahead);
  return { word, bitmap, tick: ((word << 8) + found) * pool.tickSpacing, isInitialized };
}

const highestBit = (value: bigint): number => value.toString(2).length - 1;
const lowestBit = (value: bigint): number => highestBit(value & -value);
