import { countedReferences, disagreementBps } from "../evidence/figures.ts";
import { atMost, bpsBound, defineCheck, judged, unavailable } from "./check.ts";
import { most } from "./measure.ts";

/** The reference sources agree with each other. */
export const referenceAgreement = defineCheck({
  name: "reference-agreement",
  bound: {
    reference: {
      maxDisagreementBps: bpsBound.describe(
        "How far the counted prices may lie apart, basis points of the lowest",
      ),
    },
  },
  measure: most("bps"),
  words: {
    en: "Do the sources of the stock's price agree?",
    zh: "各来源的股票价格是否一致？",
  },
  judge: (policy, { references, capturedAt }) => {
    const limit = policy.reference.maxDisagreementBps;
    const distance = disagreementBps(countedReferences(policy, references, capturedAt));
    if (distance === null) return unavailable(limit, "There is no reference price.");
    return judged(
      atMost(distance, limit),
      distance,
      limit,
      `The reference sources are ${distance} bps apart; at most ${limit} allowed.`,
    );
  },
});
