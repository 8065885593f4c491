/** What a pool says of one of its two tokens. */
import type { Pool } from "./records.ts";
import { sameAddress } from "./values.ts";

/**
 * USD per whole token in this pool, whichever side the token is on.
 * @returns null when the token is on neither side or the pool states no price
 */
export function priceInPool(pool: Pool, token: string): string | null {
  if (sameAddress(pool.chain, pool.baseToken, token)) return pool.basePriceUsd;
  if (sameAddress(pool.chain, pool.quoteToken, token)) return pool.quotePriceUsd;
  return null;
}
