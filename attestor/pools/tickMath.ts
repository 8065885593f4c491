/**
 * Prices of ticks as the V3 core contracts count them: the square root of 1.0001^tick, times 2^96, by the same
 * multiplications and the same rounding.
 */
import { MAX_TICK, MIN_TICK } from "./poolState.ts";

/** The prices of the lowest and the highest tick; every pool's price lies from the one to below the other. */
export const MIN_SQRT_RATIO = 4_295_128_739n;
export const MAX_SQRT_RATIO = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n;

const ONE = 1n << 128n;

/** 1 over the square root of 1.0001 to the power of 2^n, in 1/2^128, for n from 0 to 19: constants of `TickMath`. */
const FACTORS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

const MAX_UINT256 = (1n << 256n) - 1n;

/** @param tick an integer from MIN_TICK to MAX_TICK */
export function sqrtRatioAtTick(tick: number): bigint {
  if (!Number.isInteger(tick) || tick < MIN_TICK || tick > MAX_TICK)
    throw new RangeError(`${tick} is no tick`);
  const magnitude = Math.abs(tick);
  let ratio = ONE;
  for (let bit = 0; bit < FACTORS.length; bit++)
    if ((magnitude & (1 << bit)) !== 0) ratio = (ratio * (FACTORS[bit] as bigint)) >> 128n;
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  // To 96 fractional bits, rounded up.
  return (ratio >> 32n) + ((ratio & 0xffff_ffffn) === 0n ? 0n : 1n);
}

/** Whether a pool at this price can have this tick. A trade that ends on a tick going down leaves the one below. */
export function isTickOfPrice(tick: number, sqrtPriceX96: bigint): boolean {
  if (sqrtPriceX96 < MIN_SQRT_RATIO || sqrtPriceX96 >= MAX_SQRT_RATIO || tick >= MAX_TICK) return false;
  // Below the lowest tick there is none, but a trade down to it ends there.
  return (
    (tick < MIN_TICK || sqrtRatioAtTick(tick) <= sqrtPriceX96) && sqrtPriceX96 <= sqrtRatioAtTick(tick + 1)
  );
}
