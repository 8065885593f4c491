/** Which pool a token is priced by. */

import { priceInPool } from "../providers/pools.ts";
import type { Pool } from "../providers/records.ts";
import type { MarketAsset } from "../queries.ts";
import { Exact } from "../series/units.ts";

/** The token's pool with the most liquidity. */
export function deepest(pools: readonly Pool[], { chain, address }: MarketAsset): Pool | undefined {
  return pools
    .filter((pool) => pool.chain === chain && priceInPool(pool, address) !== null)
    .reduce<Pool | undefined>(
      (best, pool) =>
        best === undefined || new Exact(pool.liquidityUsd ?? 0).gt(best.liquidityUsd ?? 0) ? pool : best,
      undefined,
    );
}
