import * as z from "zod";
import type { Evidence } from "../evidence/evidence.ts";
import { countedReferences } from "../evidence/figures.ts";
import { signedBy } from "../pyth/priceProof.ts";
import { type CommonRules, defineCheck, type Judged, judged } from "./check.ts";
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
  judge: (policy, evidence, sets) => {
    const { references, capturedAt, chain } = evidence;
    const counted = countedReferences(policy, references, capturedAt);
    const signed = counted.filter((reading) => signedBy(reading, chain.chainId, sets).by !== null).length;
    return signedFinding(policy, evidence, signed);
  },
});

/** @param signed how many of the prices that count are */
export function signedFinding(
  policy: CommonRules & { readonly evidence: { readonly minSignedReferences: number } },
  { references, capturedAt }: Evidence,
  signed: number,
): Judged {
  const limit = policy.evidence.minSignedReferences;
  const { length } = countedReferences(policy, references, capturedAt);
  return judged(
    signed >= limit,
    signed,
    limit,
    `${signed} of ${length} reference price(s) carry their publisher's signatures; at least ${limit} needed.`,
  );
}
