import { countedReferences, widestConfidenceBps } from "../evidence/figures.ts";
import { atMost, bpsBound, defineCheck, judged, unavailable } from "./check.ts";
import { most } from "./measure.ts";

/** No source is unsure of its own price. A source that states no interval is not judged by one. */
export const referenceConfidence = defineCheck({
  name: "reference-confidence",
  bound: {
    reference: {
      maxConfidenceBps: bpsBound.describe(
        "The widest confidence interval that a source may state, basis points of its price",
      ),
    },
  },
  measure: most("bps"),
  words: {
    en: "Are the sources sure of the price that they state?",
    zh: "各来源对其价格是否有把握？",
  },
  judge: (policy, { references, capturedAt }) => {
    const limit = policy.reference.maxConfidenceBps;
    const counted = countedReferences(policy, references, capturedAt);
    if (counted.length === 0) return unavailable(limit, "There is no reference price.");
    const widest = widestConfidenceBps(counted) ?? "0";
    return judged(
      atMost(widest, limit),
      widest,
      limit,
      `The widest confidence interval is ${widest} bps of its price; at most ${limit} allowed.`,
    );
  },
});
