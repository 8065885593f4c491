/** How far figures of one thing may be apart, and what a pool must have to count. Told in `methodology`. */

/** Running reference prices of one stock among each other. */
export const REFERENCE_BOUND_BPS = 200;
/** A last price of hours ago against a running one, and a token's price against its stock: news moves both. */
export const WIDE_BOUND_BPS = 2_500;
/** A source's own confidence, half-width against its price. */
export const MAX_CONFIDENCE_BPS = 100;
/** Prices of one token among each other: pool, quote and aggregator, whose fees differ by up to a percent. */
export const PRICE_BOUND_BPS = 300;
/** A perpetual's mark against the oracle of its venue. */
export const MARK_BOUND_BPS = 1_000;
/** A share ratio against the last one: dividends move it by less, a split moves the price with it. */
export const SHARE_RATIO_BOUND_BPS = 200;
/** How far the price per share may move where the share ratio has changed. */
export const CONTINUITY_BOUND_BPS = 1_000;

/** A reference that is at most so old is a running price; while the stock trades, an older one is none. */
export const RUNNING_SECONDS = 15 * 60;
/** While the stock does not trade, its last price stays a reference: over a long weekend. */
export const LAST_PRICE_SECONDS = 5 * 86_400;

/** A pool with less stated liquidity counts nowhere, US dollars. */
export const POOL_FLOOR_USD = 1_000;
/**
 * Stated liquidity counts up to so many times the depth that buys were measured to find: out-of-range liquidity
 * is stated and not found.
 */
export const STATED_PER_MEASURED_DEPTH = 10;
/** A day's volume counts up to so many times the measured depth. */
export const TURNOVERS_A_DAY = 20;
/** A smaller impact cannot be told from none. */
export const SMALLEST_IMPACT_BPS = 1;
