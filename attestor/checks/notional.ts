import { atMost, type Check, judged, unavailable } from "./finding.ts";

/** The trade is not larger than the policy lets it be. */
export const notional: Check = (policy, { figures }) => {
  const limit = policy.notionalCapUsd;
  if (figures.notionalUsd === null)
    return unavailable(
      "notional",
      limit,
      "The trade's value is not known: no route, or no price of the settlement token.",
    );
  return judged(
    "notional",
    atMost(figures.notionalUsd, limit),
    figures.notionalUsd,
    limit,
    `The trade is worth ${figures.notionalUsd} USD; at most ${limit} allowed.`,
  );
};
