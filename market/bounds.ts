/**
 * How far figures of one thing may be apart, how old they may be, and what a pool must have to count. All of these are
 * choices: no live recording says yet what is usual. Told in `methodology`.
 */
import type { UnixSeconds } from "../attestor/values/time.ts";

/** Half-widths around a stock's price while it trades, by source: two sources may be 30 to 50 bps apart. */
const REFERENCE_TOLERANCES: Readonly<Record<string, number>> = { pyth: 15, hyperliquid: 20, binance: 20 };
/** Of any other source. */
const REFERENCE_TOLERANCE_BPS = 25;
export const referenceTolerance = (source: string): number =>
  REFERENCE_TOLERANCES[source] ?? REFERENCE_TOLERANCE_BPS;

/** Times the tolerances of prices where the stock trades thinly or not at all. */
const SESSION_FACTORS: Readonly<Record<string, number>> = { regular: 1, "pre-market": 2, "post-market": 2 };
const QUIET_FACTOR = 4;
/** @param session of the stock market */
export const sessionFactor = (session: string): number => SESSION_FACTORS[session] ?? QUIET_FACTOR;

/** Around a token's price, by what it is; a small quote pays the pool's fee, of up to half a percent. */
export const PRICE_TOLERANCES = { pool: 40, aggregator: 30, quote: 60 } as const;
/** Around a share ratio: sources state the same number, some as a float. */
export const RATIO_TOLERANCE_BPS = 1;
/** Around the price of the dollar token that quotes are paid in. */
export const DOLLAR_TOLERANCE_BPS = 10;
/** Around a perpetual's mark, against those of other venues. */
export const MARK_TOLERANCE_BPS = 25;

/** A last price of hours ago against a running one, and a token's price against its stock: news moves both. */
export const WIDE_BOUND_BPS = 2_500;
/** A source's own confidence, half-width against its price. */
export const MAX_CONFIDENCE_BPS = 100;
/** A perpetual's mark against the oracle of its venue. */
export const MARK_BOUND_BPS = 1_000;
/** A share ratio that moves by more must have taken the token's price with it. */
export const SHARE_RATIO_BOUND_BPS = 2;
/** How far the premium may move where the share ratio has changed. */
export const CONTINUITY_BOUND_BPS = 50;

/** A reference that is at most so old is a running price; while the stock trades, an older one is none. */
export const RUNNING_SECONDS = 15 * 60;
/** While the stock does not trade, its last price stays a reference: over a long weekend. */
export const LAST_PRICE_SECONDS = 5 * 86_400;
/** A figure that its source updates all the time and that has not changed for so long is stale. */
export const CADENCE_SECONDS = { perp: 8 * 60, ratio: 3_600, aggregator: 3_600 } as const;
/** A perpetual's market by the venue's own clock. */
export const PERP_AGE_SECONDS = 120;
/** A pool changes with each trade, and again as the trade leaves the last day: unchanged for so many gaps, it is stale. */
const POOL_GAPS = 10;
/** @param trades24h buys and sells of a day @returns seconds, an hour to a day */
export const poolCadence = (trades24h: number | null): UnixSeconds =>
  Math.min(86_400, Math.max(3_600, (POOL_GAPS * 86_400) / Math.max(1, 2 * (trades24h ?? 1))));

/** A pool with less stated liquidity counts nowhere, US dollars. */
export const POOL_FLOOR_USD = 1_000;
/**
 * Stated liquidity counts up to so many times the depth that buys were measured to find: out-of-range liquidity
 * is stated and not found.
 */
export const STATED_PER_MEASURED_DEPTH = 10;
/** A day's volume counts up to so many times the measured depth. */
export const TURNOVERS_A_DAY = 20;
/** A smaller impact is indistinguishable from none. */
export const SMALLEST_IMPACT_BPS = 1;
/** A large buy that is better than a tiny one by more, or below the token's price by more, is too good to be true. */
export const TOO_GOOD_BPS = 100;
/** A token's volume and liquidity against those of at most a day before: more, or less than one such part, is a slip of units. */
export const TAPE_FACTOR = 3;
/** Smaller figures move by such factors all the time, US dollars. */
export const TAPE_FLOOR_USD = 10_000;
/** Pools that held this part of a token's liquidity a round before and are not in the answer: it is not whole. */
export const MISSING_PART = "0.1";

/** A provider is excluded where so large a part of the tokens and stocks that it states figures of is. */
export const EXCLUDED_PART = 0.1;

/** Funding of eight hours, basis points: beyond the premium of the perpetual, a venue's interest and its clamp add up to so much. */
export const FUNDING_CLAMP_BPS = 5;
/** Of the premium beyond the clamp, venues pay this part at least. */
export const LEAST_FUNDING_PART = "0.05";
