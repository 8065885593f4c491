import * as z from "zod";
import { defineCheck, judged, unavailable } from "./check.ts";
import { least } from "./measure.ts";

/** The liquidity grade rests on enough samples. */
export const liquiditySamples = defineCheck({
  name: "liquidity-samples",
  bound: {
    minLiquiditySamples: z.int().min(0).describe("Samples of the last seven days that a token needs"),
  },
  measure: least("count"),
  words: {
    en: "Was that liquidity measured often enough?",
    zh: "流动性的测量次数是否足够？",
  },
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
