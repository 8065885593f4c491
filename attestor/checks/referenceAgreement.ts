import { countedReferences, disagreementBps } from "../evidence/figures.ts";
import { atMost, type Check, judged, unavailable } from "./finding.ts";

/** The reference sources agree with each other. */
export const referenceAgreement: Check = (policy, { references, capturedAt }) => {
  const limit = policy.reference.maxDisagreementBps;
  const distance = disagreementBps(countedReferences(policy, references, capturedAt));
  if (distance === null) return unavailable("reference-agreement", limit, "There is no reference price.");
  return judged(
    "reference-agreement",
    atMost(distance, limit),
    distance,
    limit,
    `The reference sources are ${distance} bps apart; at most ${limit} allowed.`,
  );
};
