import { atMost, type Check, judged, unavailable } from "./finding.ts";

/** The trade is not larger than the policy lets it be. */
export const notional: Check = (policy, { figures, schema }) => {
  const limit = policy.notionalCapUsd;
  if (figures.notionalUsd === null) {
    // The first schema's words stand in stored reports.
    const why = schema === "assay.evidence/1" ? "no route" : "no route, or no price of the settlement token";
    return unavailable("notional", limit, `The trade's value is not known: ${why}.`);
  }
  return judged(
    "notional",
    atMost(figures.notionalUsd, limit),
    figures.notionalUsd,
    limit,
    `The trade is worth ${figures.notionalUsd} USD; at most ${limit} allowed.`,
  );
};
