/** What each provider allows, as it is documented; `jobs` is what of it is kept for the look-ups of verifications. */
import type { RateLimit } from "./rate.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

/** By the name that faults and records use. */
export const LIMITS = {
  /** Without a key; with a free one twice as many. All its endpoints count together, in a window of a minute. */
  jupiter: { requests: 30, perMs: MINUTE },
  jupiterWithKey: { requests: 60, perMs: MINUTE },
  pancakeswap: { requests: 10, perMs: SECOND },
  kyberswap: { requests: 3, perMs: SECOND },
  dexscreener: { requests: 300, perMs: MINUTE },
  /** The lower end of the documented 10 to 30. */
  geckoterminal: { requests: 10, perMs: MINUTE, lockoutMs: MINUTE },
  pyth: { requests: 30, perMs: 10 * SECOND, lockoutMs: MINUTE, jobs: 18 },
  finnhub: { requests: 60, perMs: MINUTE, jobs: 30 },
  hyperliquid: { requests: 60, perMs: MINUTE },
  /** 2,400 of weight a minute, of which one of our requests takes up to 10; funding has 100 a minute. */
  binance: {
    requests: 100,
    perMs: MINUTE,
    lockoutMs: MINUTE,
    usedWeight: { header: "x-mbx-used-weight-1m", limit: 2_000 },
  },
  binanceRwa: { requests: 60, perMs: MINUTE, jobs: 30 },
  /** Verifications alone ask it. */
  xstocks: { requests: 120, perMs: MINUTE, jobs: 108 },
} as const satisfies Record<string, RateLimit>;
