/** What the data API says about itself in every answer. Constant per profile, so that answers stay byte-stable. */

const USE = "Indicative only, no advice. Name Assay as the source where you show these data.";

export interface Texts {
  readonly attribution: string;
  readonly methodology: string;
}

const MEASURE =
  "Each sample compares the quoted price of buying for 1,000 and 10,000 US dollars with that of a tiny buy at the same moment over the best route: impact = ((out_tiny / in_tiny) / (out_n / in_n) - 1) * 10,000 bps. impact_1k_bps and impact_10k_bps are medians over the last 7 days, in which a sample without a route counts as infinite; a median that is infinite is null. The grade judges impact_10k_bps as published, negative figures as 0: A up to 50, B up to 150, C up to 500, D above or without a route. With sample_n below 3 the figures are insufficient: the grade shown here is provisional, and that of /api/v1/assets is null.";

/** @param simulated whether the market is the local world's */
export function textsOf(simulated: boolean): Texts {
  return simulated
    ? {
        attribution: `Assay, local world. The market is simulated: no figure here is of a real market. ${USE}`,
        methodology: `Simulated market. ${MEASURE} Quotes come from the DEX contracts on the local chain, where a simulated trader moves prices; samples from before the service's first start are back-filled by the simulation and recorded in the same way.`,
      }
    : {
        attribution: `Assay, from public market sources; each point names its own. ${USE}`,
        methodology: `${MEASURE} Quotes come from public aggregators and from DEX contracts on chain; price-impact figures that providers state themselves are not used.`,
      };
}
