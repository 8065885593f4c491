/** The pools that indexes state, by token. What of them counts is judged where it is used. */
import type { MarketAsset } from "../queries.ts";
import { noted } from "./accepted.ts";
import type { PoolState } from "./sources.ts";
import type { Round } from "./types.ts";

/** Grows as tokens are asked for; a pool that came by several tokens stands once, with its owner. */
export function createPoolBook() {
  const asked = new Set<string>();
  const byToken = new Map<string, Map<string, PoolState>>();

  const note = (pool: PoolState) => {
    const own = byToken.get(pool.assetKey) ?? new Map<string, PoolState>();
    byToken.set(pool.assetKey, own.set(pool.poolAddress, pool));
  };

  return async (
    round: Round,
    assets: readonly MarketAsset[],
  ): Promise<ReadonlyMap<string, readonly PoolState[]>> => {
    const missing = assets.filter(({ assetKey }) => !asked.has(assetKey));
    for (const { assetKey } of missing) asked.add(assetKey);
    if (round.sources.poolsOf && missing.length > 0)
      try {
        for (const pool of await noted(round, await round.sources.poolsOf(missing))) note(pool);
      } catch (error) {
        // Tokens have other witnesses.
        round.fail("pools", error);
      }
    return new Map([...byToken].map(([assetKey, pools]) => [assetKey, [...pools.values()]]));
  };
}
