/** The pools that indexes state, by token. What of them counts is judged where it is used. */
import type { MarketAsset } from "../queries.ts";
import type { Rejection } from "../series/rejected.ts";
import { noted } from "./accepted.ts";
import { poolCadence } from "../bounds.ts";
import type { PoolState } from "./sources.ts";
import { type Round, seconds } from "./types.ts";

/** Grows as tokens are asked for; a pool that came by several tokens stands once, with its owner. */
export function createPoolBook() {
  const asked = new Map<string, Promise<void>>();
  const byToken = new Map<string, Map<string, PoolState>>();

  const note = (pool: PoolState) => {
    const own = byToken.get(pool.assetKey) ?? new Map<string, PoolState>();
    byToken.set(pool.assetKey, own.set(pool.poolAddress, pool));
  };
  const ask = async (round: Round, assets: readonly MarketAsset[]): Promise<void> => {
    if (!round.sources.poolsOf) return;
    try {
      const pools = await noted(round, await round.sources.poolsOf(assets));
      for (const pool of await withoutStale(round, pools)) note(pool);
    } catch (error) {
      // Tokens have other witnesses.
      round.fail("pools", error);
    }
  };

  return async (
    round: Round,
    assets: readonly MarketAsset[],
  ): Promise<ReadonlyMap<string, readonly PoolState[]>> => {
    const missing = assets.filter(({ assetKey }) => !asked.has(assetKey));
    if (missing.length > 0) {
      const answer = ask(round, missing);
      for (const { assetKey } of missing) asked.set(assetKey, answer);
    }
    // Steps run beside each other: what another has asked for is waited for.
    await Promise.all(new Set(assets.map(({ assetKey }) => asked.get(assetKey))));
    return new Map([...byToken].map(([assetKey, pools]) => [assetKey, [...pools.values()]]));
  };
}

/** A pool that does not change though it is traded in stands still in its index. */
async function withoutStale(round: Round, pools: readonly PoolState[]): Promise<PoolState[]> {
  const now = seconds(round);
  const stale: Rejection[] = [];
  const fresh = pools.flatMap((pool): PoolState[] => {
    const { assetKey, source, poolAddress, priceUsd, liquidityUsd, volume24hUsd, trades24h } = pool;
    const figure = JSON.stringify([priceUsd, liquidityUsd, volume24hUsd, trades24h]);
    const since = round.memory.unchanged.since(`pool/${source}/${poolAddress}`, figure, now);
    if (now - since <= poolCadence(trades24h)) return [{ ...pool, unchangedSince: since }];
    stale.push({ kind: "pool", subject: assetKey, reason: "stale", sample: pool });
    return [];
  });
  await round.reject(stale);
  return fresh;
}
