/** What the data API says about itself in every answer. Constant per profile, so that answers stay byte-stable. */
import {
  CADENCE_SECONDS,
  CONTINUITY_BOUND_BPS,
  DOLLAR_TOLERANCE_BPS,
  FUNDING_CLAMP_BPS,
  LAST_PRICE_SECONDS,
  LEAST_FUNDING_PART,
  MARK_BOUND_BPS,
  MARK_TOLERANCE_BPS,
  MAX_CONFIDENCE_BPS,
  MISSING_PART,
  PERP_AGE_SECONDS,
  POOL_FLOOR_USD,
  PRICE_TOLERANCES,
  RATIO_TOLERANCE_BPS,
  RUNNING_SECONDS,
  referenceTolerance,
  SHARE_RATIO_BOUND_BPS,
  SMALLEST_IMPACT_BPS,
  STATED_PER_MEASURED_DEPTH,
  sessionFactor,
  TAPE_FACTOR,
  TOO_GOOD_BPS,
  TURNOVERS_A_DAY,
  WIDE_BOUND_BPS,
} from "../../market/bounds.ts";

const USE = "Indicative only, no advice. Name Assay as the source where you show these data.";

export interface Texts {
  readonly attribution: string;
  readonly methodology: string;
}

const MEASURE =
  "Each sample compares the quoted price of buying for 1,000 and 10,000 US dollars with that of a tiny buy at the same moment over the best route. The formula: 10,000 * ((out_tiny / in_tiny) / (out_n / in_n) - 1) bps. The figures impact_1k_bps and impact_10k_bps are medians over the last 7 days. A sample without a route counts as infinite; an infinite median is null. The grade judges impact_10k_bps as published, negative figures as 0: A up to 50, B up to 150, C up to 500, D above or without a route. With sample_n below 3 the figures are insufficient: the grade shown here is provisional, and that of /api/v1/assets is null.";

const minutes = (seconds: number) => `${seconds / 60} minutes`;

const LIVE_INPUTS = [
  `Each level is the median of independent sources. A source's figure is an interval, by its tolerance; those count whose intervals have a point in common, where they are more than half of all. Sources of one origin are one witness, whose newest figure counts; so is a source that names several. States: agreed (two origins or more), single (only one), disputed (no majority; the figure is null). The spread_bps is between the outermost that agree. The bounds below are choices; typical spreads are not measured. docs/run/market-data.md, What a level rests on, has them in one table.`,
  `Half-widths of the intervals in bps follow. A stock's price by Pyth ${referenceTolerance("pyth")}, by the oracles of Hyperliquid ${referenceTolerance("hyperliquid")} and Binance ${referenceTolerance("binance")}, by others ${referenceTolerance("")}. A token's price by a pool ${PRICE_TOLERANCES.pool}, a small quote ${PRICE_TOLERANCES.quote}, an aggregator ${PRICE_TOLERANCES.aggregator}. A share ratio ${RATIO_TOLERANCE_BPS}, a perpetual's mark ${MARK_TOLERANCE_BPS}, USDT, in which BNB chain quotes, ${DOLLAR_TOLERANCE_BPS}. Half-widths of prices count ${sessionFactor("pre-market")} times before and after regular trading, ${sessionFactor("closed")} times while the exchange is closed.`,
  `A running reference price is at most ${minutes(RUNNING_SECONDS)} old; while the stock trades no older one counts. Where none runs, the last prices do, up to ${LAST_PRICE_SECONDS / 86_400} days old. A price whose source's own confidence is wider than ${MAX_CONFIDENCE_BPS} bps does not count. A running price of a single source counts only within ${WIDE_BOUND_BPS} bps of a last price, a token's only within as many of its stock.`,
  `Ages are by the source's own time, or since when its figure has not changed. Figures are stale when unchanged for these times. A perpetual ${minutes(CADENCE_SECONDS.perp)}, or ${minutes(PERP_AGE_SECONDS)} by its venue's clock. A share ratio (off hours ${LAST_PRICE_SECONDS / 86_400} days) and an aggregator's price ${minutes(CADENCE_SECONDS.ratio)}. A pool one hour to a day, by its trades.`,
  `A share ratio that one source alone states and that moves by more than ${SHARE_RATIO_BOUND_BPS} bps counts only where the premium moves by at most ${CONTINUITY_BOUND_BPS} bps. A mark counts within ${MARK_BOUND_BPS} bps of its venue's oracle. Funding, per eight hours, counts within two bounds. The upper is ${TAPE_FACTOR} times the mean of the seven days before or their largest, or the mark's premium less ${FUNDING_CLAMP_BPS} bps (for a new series plus ${FUNDING_CLAMP_BPS} bps). The lower is ${LEAST_FUNDING_PART} of that premium beyond ${FUNDING_CLAMP_BPS} bps. Without a stated interval there is none.`,
  `A pool counts in volume and liquidity with at least ${POOL_FLOOR_USD} US dollars and a trade in the last day. Liquidity counts up to ${STATED_PER_MEASURED_DEPTH} times and volume up to ${TURNOVERS_A_DAY} times the depth that measured buys find. That depth is 2 * size / impact, for all pools of a token together, the smaller ones first. Without a measured buy no pool of a token counts. An impact below ${SMALLEST_IMPACT_BPS} bps counts as that. A token's volume and liquidity count within ${TAPE_FACTOR} times those of at most a day before, and where no pools that held ${MISSING_PART} of its liquidity are missing. An impact better than nothing by more than ${TOO_GOOD_BPS} bps is no measurement. Volume or liquidity that an index has at zero for all pools of a chain is disputed, however long, until another origin has it at zero too; so is funding that a venue has at zero for all its perpetuals. Impacts that are zero for all tokens of a chain, or have no route for any, do not count.`,
  `A paused token and a halted stock are halted: their points say so, and no total counts them.`,
].join(" ");

/** @param simulated whether the market is the local world's */
export function textsOf(simulated: boolean): Texts {
  return simulated
    ? {
        attribution: `Assay, local world. The market is simulated: no figure here is of a real market. ${USE}`,
        methodology: `Simulated market. ${MEASURE} Quotes come from the DEX contracts on the local chain, where a simulated trader moves prices. The simulation backfills samples from before the service's first start in the same way.`,
      }
    : {
        attribution: `Assay, from public market sources; each point names its own. ${USE}`,
        methodology: `${MEASURE} Quotes come from public aggregators and from DEX contracts on chain; price-impact figures that providers state themselves are not used. ${LIVE_INPUTS}`,
      };
}
