/** Checks of how well the token traded lately. */
import * as z from "zod";
import { GRADES, Grade } from "../values/market.ts";
import { defineCheck, judged, unavailable } from "./check.ts";
import { least, TEXT } from "./measure.ts";

/** The token's seven-day liquidity is good enough. */
export const liquidityGrade = defineCheck({
  name: "liquidity-grade",
  bound: { lowestGrade: Grade },
  measure: TEXT,
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

/** The liquidity grade rests on enough samples. */
export const liquiditySamples = defineCheck({
  name: "liquidity-samples",
  bound: {
    minLiquiditySamples: z.int().min(0).describe("Samples of the last seven days that a token needs"),
  },
  measure: least("count"),
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
});
