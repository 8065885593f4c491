import { atMost, bpsBound, defineCheck, judged, unavailable } from "./check.ts";
import { most } from "./measure.ts";

/** This size does not move the price too far. */
export const impact = defineCheck({
  name: "impact",
  bound: {
    maxImpactBps: bpsBound.describe("How much worse this size may be than a tiny one, basis points"),
  },
  measure: most("bps"),
  words: {
    en: "How much worse is the price because of the trade's own size?",
    zh: "交易规模本身使价格变差多少？",
  },
  judge: (policy, { figures }) => {
    const limit = policy.maxImpactBps;
    if (figures.impactBps === null) return unavailable(limit, "The price impact is not known: no route.");
    return judged(
      atMost(figures.impactBps, limit),
      figures.impactBps,
      limit,
      `This size costs ${figures.impactBps} bps more than a tiny one; at most ${limit} allowed.`,
    );
  },
});
