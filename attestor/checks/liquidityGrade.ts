import { GRADES } from "../policies/policyDefinition.ts";
import { type Check, judged, unavailable } from "./finding.ts";

/** The token's seven-day liquidity is good enough. */
export const liquidityGrade: Check = (policy, { liquidity }) => {
  const grade = liquidity?.grade ?? null;
  if (grade === null)
    return unavailable("liquidity-grade", policy.lowestGrade, "The token has no liquidity grade.");
  return judged(
    "liquidity-grade",
    GRADES.indexOf(grade) <= GRADES.indexOf(policy.lowestGrade),
    grade,
    policy.lowestGrade,
    `The liquidity grade is ${grade}; ${policy.lowestGrade} or better needed.`,
  );
};
