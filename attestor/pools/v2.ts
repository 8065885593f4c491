/** The arithmetic of Uniswap V2 and its forks: what a pair pays for an amount. */

const MAX_UINT112 = 2n ** 112n - 1n;

export interface V2Pool {
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
export function quoteV2(pool: V2Pool, zeroForOne: boolean, amountIn: bigint): bigint | null {
  const [reserveIn, reserveOut] = zeroForOne
    ? [pool.reserve0, pool.reserve1]
    : [pool.reserve1, pool.reserve0];
  if (amountIn <= 0n || reserveIn === 0n || reserveOut === 0n) return null;
  if (reserveIn + amountIn > MAX_UINT112) return null;
  const afterFee = amountIn * BigInt(10_000 - pool.feeBps);
  return (afterFee * reserveOut) / (reserveIn * 10_000n + afterFee);
}
