import * as z from "zod";
import { countedReferences } from "../evidence/figures.ts";
import { signedBy } from "../publishers/publishers.ts";
import { defineCheck, judged } from "./check.ts";
import { least } from "./measure.ts";

/** Enough of the reference prices that count are signed by their publisher, as this reader can check. */
export const signedReferences = defineCheck({
  name: "signed-references",
  bound: {
    evidence: {
      minSignedReferences: z
        .int()
        .min(0)
        .max(32)
        .describe("Of the reference prices that count, how many must carry their publisher's signatures"),
    },
  },
  measure: least("count"),
  words: {
    en: "How many prices of the stock carry their publisher's signatures?",
    zh: "有多少股票价格带有发布者的签名？",
  },
  judge: (policy, { references, capturedAt, chain }, keys) => {
    const limit = policy.evidence.minSignedReferences;
    const counted = countedReferences(policy, references, capturedAt);
    const signed = counted.filter((reading) => signedBy(reading, chain.chainId, keys).by !== null).length;
    const passes = signed >= limit;
    const advice = passes
      ? ""
      : " Try again once a publisher answers, or use a policy that needs no signed price.";
    return judged(
      passes,
      signed,
      limit,
      `${signed} of ${counted.length} reference price(s) carry their publisher's signatures; at least ${limit} needed.${advice}`,
    );
  },
});
