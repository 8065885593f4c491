/** Price arithmetic of the pools: fixed point where the chain wants it, floating point to decide sizes. */

export const Q96 = 2n ** 96n;

/** Integer square root, rounded down. */
function sqrt(value: bigint): bigint {
  if (value < 2n) return value;
  let low = BigInt(Math.floor(Math.sqrt(Number(value))));
  // The float is close; Newton's steps finish what its 53 bits left open.
  for (;;) {
    const next = (low + value / low) / 2n;
    if (next === low || next === low + 1n) break;
    low = next;
  }
  while (low * low > value) low--;
  while ((low + 1n) * (low + 1n) <= value) low++;
  return low;
}

/** The price of V3: the square root of amount1 / amount0, with 96 binary places. */
export function sqrtPriceX96(amount1: bigint, amount0: bigint): bigint {
  return sqrt((amount1 << 192n) / amount0);
}

/** The usable tick nearest to a price ratio, rounded to the pool's tick spacing. */
export function tickAt(ratio: number, spacing: number): number {
  return Math.round(Math.log(ratio) / Math.log(1.0001) / spacing) * spacing;
}

/** Tick spacing of a V3 fee. */
export function tickSpacing(fee: number): number {
  const spacing = ({ 100: 1, 500: 10, 3000: 60, 10000: 200 } as Record<number, number>)[fee];
  if (spacing === undefined) throw new Error(`Uniswap V3 has no fee ${fee}`);
  return spacing;
}
