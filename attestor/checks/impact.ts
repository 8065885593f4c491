import { atMost, type Check, judged, unavailable } from "./finding.ts";

/** This size does not move the price too far. */
export const impact: Check = (policy, { figures }) => {
  const limit = policy.maxImpactBps;
  if (figures.impactBps === null)
    return unavailable("impact", limit, "The price impact is not known: no route.");
  return judged(
    "impact",
    atMost(figures.impactBps, limit),
    figures.impactBps,
    limit,
    `This size costs ${figures.impactBps} bps more than a tiny one; at most ${limit} allowed.`,
  );
};
