import * as z from "zod";
import { defineCheck, judged, unavailable } from "./check.ts";
import { TEXT } from "./measure.ts";

/** The quote rests on what the policy asks for: pool state that is proved, or the best that there is. */
export const quoteProof = defineCheck({
  name: "quote-proof",
  bound: {
    evidence: {
      /** `required`: a quote without proofs of its pools' state is denied. `optional`: named proofs need not be at hand. */
      quoteProof: z.enum(["required", "preferred", "optional"]),
    },
  },
  measure: TEXT,
  words: {
    en: "Is the quote proved by the state of the chain?",
    zh: "报价是否由链上状态证明？",
  },
  judge: (policy, { quote, proofs }) => {
    const limit = policy.evidence.quoteProof;
    if (quote === null) return unavailable(limit, "There is no quote.");
    const basis = quote.pools === null ? "quoter" : proofs === null ? "observed" : "proved";
    const rests = {
      quoter: "The quote is the answer of the route's own quoter",
      observed: "The quote follows from the state of the pools, which is not proved",
      proved: "The quote follows from the state of the pools, which is proved",
    }[basis];
    const passes = limit !== "required" || basis === "proved";
    return judged(passes, basis, limit, `${rests}; a proof is ${limit}.`);
  },
});
