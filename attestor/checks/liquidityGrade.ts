import { GRADES, Grade } from "../values/market.ts";
import { defineCheck, judged, unavailable } from "./check.ts";
import { TEXT } from "./measure.ts";

/** The token's seven-day liquidity is good enough. */
export const liquidityGrade = defineCheck({
  name: "liquidity-grade",
  bound: { lowestGrade: Grade },
  measure: TEXT,
  words: {
    en: "How well has this token traded in the last seven days?",
    zh: "该代币最近七天的流动性如何？",
  },
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
});
