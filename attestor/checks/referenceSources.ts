import * as z from "zod";
import { eligibleReferences } from "../evidence/figures.ts";
import { defineCheck, judged } from "./check.ts";
import { least } from "./measure.ts";

/** Enough sources state a reference price of the kind that the policy judges by. */
export const referenceSources = defineCheck({
  name: "reference-sources",
  bound: {
    reference: {
      minSources: z.int().min(1).describe("How many sources must state a reference price"),
    },
  },
  measure: least("count"),
  words: {
    en: "Do enough sources state a price of the stock?",
    zh: "是否有足够多的来源给出股票价格？",
  },
  judge: (policy, { references, capturedAt }) => {
    const { kind, minSources } = policy.reference;
    const sources = eligibleReferences(policy, references, capturedAt).length;
    return judged(
      sources >= minSources,
      sources,
      minSources,
      `${sources} ${kind} reference source(s); at least ${minSources} needed.`,
    );
  },
});
