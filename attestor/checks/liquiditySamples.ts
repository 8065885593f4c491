import { type Check, judged, unavailable } from "./finding.ts";

/** The liquidity grade rests on enough samples. */
export const liquiditySamples: Check = (policy, { liquidity }) => {
  const limit = policy.minLiquiditySamples;
  if (liquidity === null)
    return unavailable("liquidity-samples", limit, "The liquidity samples are not known.");
  return judged(
    "liquidity-samples",
    liquidity.sampleN >= limit,
    liquidity.sampleN,
    limit,
    `${liquidity.sampleN} liquidity samples in seven days; at least ${limit} needed.`,
  );
};
