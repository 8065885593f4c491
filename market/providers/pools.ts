/** Sums over pools: each pool once, whichever provider and whichever of its two tokens it was found by. */
import type { Pool } from "./records.ts";
import { Exact, sameAddress } from "./values.ts";

export interface PoolTotals {
  /** USD, decimal text; null when no pool states it. */
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string | null;
  /** Distinct pools. */
  readonly pools: number;
}

/**
 * A pool between two listed tokens counts once in a total over both. Of a pool that came twice the last
 * one counts.
 */
export function sumPools(pools: readonly Pool[]): PoolTotals {
  const distinct = new Map(pools.map((pool) => [`${pool.chain}:${pool.poolAddress}`, pool]));
  return {
    volume24hUsd: sum([...distinct.values()].map((pool) => pool.volume24hUsd)),
    liquidityUsd: sum([...distinct.values()].map((pool) => pool.liquidityUsd)),
    pools: distinct.size,
  };
}

/**
 * USD per whole token in this pool, whichever side the token is on.
 * @returns null when the token is on neither side or the pool states no price
 */
export function priceInPool(pool: Pool, token: string): string | null {
  if (sameAddress(pool.chain, pool.baseToken, token)) return pool.basePriceUsd;
  if (sameAddress(pool.chain, pool.quoteToken, token)) return pool.quotePriceUsd;
  return null;
}

/** Nothing stated is not zero. */
function sum(figures: readonly (string | null)[]): string | null {
  const stated = figures.filter((figure) => figure !== null);
  if (stated.length === 0) return null;
  return stated.reduce((total, figure) => total.plus(figure), new Exact(0)).toFixed();
}
