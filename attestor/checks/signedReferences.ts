import type { Evidence } from "../evidence/evidence.ts";
import { countedReferences } from "../evidence/figures.ts";
import type { PolicyDefinition } from "../policies/policyDefinition.ts";
import type { GuardianSets } from "../pyth/guardianSets.ts";
import { signedBy } from "../pyth/priceProof.ts";
import { type Finding, judged } from "./finding.ts";

/** Enough of the reference prices that count are signed by their publisher, as this reader can check. */
export function signedReferences(policy: PolicyDefinition, evidence: Evidence, sets: GuardianSets): Finding {
  const { references, capturedAt, chain } = evidence;
  const counted = countedReferences(policy, references, capturedAt);
  const signed = counted.filter((reading) => signedBy(reading, chain.chainId, sets).by !== null).length;
  return signedFinding(policy, evidence, signed);
}

/** @param signed how many of the prices that count are */
export function signedFinding(
  policy: PolicyDefinition,
  { references, capturedAt }: Evidence,
  signed: number,
): Finding {
  const limit = policy.evidence.minSignedReferences;
  const { length } = countedReferences(policy, references, capturedAt);
  return judged(
    "signed-references",
    signed >= limit,
    signed,
    limit,
    `${signed} of ${length} reference price(s) carry their publisher's signatures; at least ${limit} needed.`,
  );
}
