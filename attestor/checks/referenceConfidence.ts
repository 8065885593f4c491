import { countedReferences, widestConfidenceBps } from "../evidence/figures.ts";
import { atMost, type Check, judged, unavailable } from "./finding.ts";

/** No source is unsure of its own price. A source that states no interval is not judged by one. */
export const referenceConfidence: Check = (policy, { references, capturedAt }) => {
  const limit = policy.reference.maxConfidenceBps;
  const counted = countedReferences(policy, references, capturedAt);
  if (counted.length === 0) return unavailable("reference-confidence", limit, "There is no reference price.");
  const widest = widestConfidenceBps(counted) ?? "0";
  return judged(
    "reference-confidence",
    atMost(widest, limit),
    widest,
    limit,
    `The widest confidence interval is ${widest} bps of its price; at most ${limit} allowed.`,
  );
};
