/** Checks of how well the token traded lately. */
import { GRADES } from "../values/market.ts";
import { type Check, judged, unavailable } from "./check.ts";

/** The token's seven-day liquidity is good enough. */
export const liquidityGrade: Check = {
  name: "liquidity-grade",
  judge: (policy, { liquidity }) => {
    const grade = liquidity?.grade ?? null;
    if (grade === null) return unavailable(policy.lowestGrade, "The token has no liquidity grade.");
    return judged(
      GRADES.indexOf(grade) <= GRADES.indexOf(policy.lowestGrade),
      grade,
      policy.lowestGrade,
      `The liquidity grade is ${grade}; ${policy.lowestGrade} or better needed.`,
    );
  },
};

/** The liquidity grade rests on enough samples. */
export const liquiditySamples: Check = {
  name: "liquidity-samples",
  judge: (policy, { liquidity }) => {
    const limit = policy.minLiquiditySamples;
    if (liquidity === null) return unavailable(limit, "The liquidity samples are not known.");
    return judged(
      liquidity.sampleN >= limit,
      liquidity.sampleN,
      limit,
      `${liquidity.sampleN} liquidity samples in seven days; at least ${limit} needed.`,
    );
  },
};
