/** What the data API says about itself in every answer. Constant per profile, so that answers stay byte-stable. */
import {
  CONTINUITY_BOUND_BPS,
  LAST_PRICE_SECONDS,
  MARK_BOUND_BPS,
  MAX_CONFIDENCE_BPS,
  POOL_FLOOR_USD,
  PRICE_BOUND_BPS,
  REFERENCE_BOUND_BPS,
  RUNNING_SECONDS,
  SHARE_RATIO_BOUND_BPS,
  STATED_PER_MEASURED_DEPTH,
  TURNOVERS_A_DAY,
  WIDE_BOUND_BPS,
} from "../../market/collect/bounds.ts";

const USE = "Indicative only, no advice. Name Assay as the source where you show these data.";

export interface Texts {
  readonly attribution: string;
  readonly methodology: string;
}

const MEASURE =
  "Each sample compares the quoted price of buying for 1,000 and 10,000 US dollars with that of a tiny buy at the same moment over the best route: impact = ((out_tiny / in_tiny) / (out_n / in_n) - 1) * 10,000 bps. impact_1k_bps and impact_10k_bps are medians over the last 7 days, in which a sample without a route counts as infinite; a median that is infinite is null. The grade judges impact_10k_bps as published, negative figures as 0: A up to 50, B up to 150, C up to 500, D above or without a route. With sample_n below 3 the figures are insufficient: the grade shown here is provisional, and that of /api/v1/assets is null.";

const LIVE_INPUTS = [
  `Several sources of one figure are compared in the same round, and one that stands alone is served with witnesses 1.`,
  `A figure counts when more than half of its sources, itself included, lie within a bound of it: ${REFERENCE_BOUND_BPS} bps among running reference prices of a stock, ${PRICE_BOUND_BPS} bps among prices of a token (a pool, a small quote, an aggregator), ${WIDE_BOUND_BPS} bps between a last price of hours ago and a running one, and between a token's price and its stock. The others are set aside; where two disagree there is no figure.`,
  `A running reference price is at most ${RUNNING_SECONDS / 60} minutes old; while the stock trades no older one counts. Off hours the reference is the freshest that agrees: a running price with a time of its own, then the oracle of a perpetual's venue, which states none, then the newest last price, up to ${LAST_PRICE_SECONDS / 86_400} days old. A price whose source gives it a confidence wider than ${MAX_CONFIDENCE_BPS} bps does not count.`,
  `A quote on BNB chain is in USDT, which counts for what Jupiter prices it at; where it does not, the quote gives no price.`,
  `A perpetual's mark counts within ${MARK_BOUND_BPS} bps of its venue's oracle. A share ratio that moves by more than ${SHARE_RATIO_BOUND_BPS} bps counts only where the price per share stays within ${CONTINUITY_BOUND_BPS} bps of what it was, or of the stock.`,
  `A pool counts in volume and liquidity with at least ${POOL_FLOOR_USD} US dollars, a trade in the last day, liquidity up to ${STATED_PER_MEASURED_DEPTH} times and volume up to ${TURNOVERS_A_DAY} times the depth that measured buys find, which is 2 * size / impact, all pools of a token together, the smaller ones first; without a measured buy no pool of a token counts.`,
].join(" ");

/** @param simulated whether the market is the local world's */
export function textsOf(simulated: boolean): Texts {
  return simulated
    ? {
        attribution: `Assay, local world. The market is simulated: no figure here is of a real market. ${USE}`,
        methodology: `Simulated market. ${MEASURE} Quotes come from the DEX contracts on the local chain, where a simulated trader moves prices; samples from before the service's first start are back-filled by the simulation and recorded in the same way.`,
      }
    : {
        attribution: `Assay, from public market sources; each point names its own. ${USE}`,
        methodology: `${MEASURE} Quotes come from public aggregators and from DEX contracts on chain; price-impact figures that providers state themselves are not used. ${LIVE_INPUTS}`,
      };
}
