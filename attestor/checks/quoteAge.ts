import * as z from "zod";
import { defineCheck, judged } from "./check.ts";
import { most } from "./measure.ts";

/**
 * The block that everything on chain was read at is recent, so the chain has not stopped. One as far ahead of the
 * service's clock tells that one of the two is wrong, and then no age that is measured by them is worth anything.
 */
export const quoteAge = defineCheck({
  name: "quote-age",
  bound: {
    maxQuoteAgeSeconds: z
      .int()
      .min(1)
      .describe("The most seconds between the block that was quoted and the moment of judgement, either way"),
  },
  measure: most("s"),
  words: {
    en: "Is the block that was quoted a new one?",
    zh: "报价所依据的区块是否足够新？",
  },
  judge: (policy, { chain, capturedAt }) => {
    const age = capturedAt - chain.blockTimestamp;
    const limit = policy.maxQuoteAgeSeconds;
    const stands = age < 0 ? `${-age} s ahead of the service's clock` : `${age} s old`;
    return judged(
      Math.abs(age) <= limit,
      age,
      limit,
      `Block ${chain.blockNumber} is ${stands}; at most ${limit} s allowed.`,
    );
  },
});
