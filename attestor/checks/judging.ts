/**
 * Which rules judge which evidence: policy and evidence go in pairs, schema by schema. What is written here for a schema
 * stays, so that every stored report is judged again as it was.
 */

import type { Evidence, Evidence2, Figures } from "../evidence/evidence.ts";
import type { Evidence1, Figures1 } from "../evidence/evidence1.ts";
import { figuresOf } from "../evidence/figures.ts";
import { figures1Of } from "../evidence/figures1.ts";
import type { PolicyDefinition, PolicyDefinition1, PolicyDefinition2 } from "../policies/policyDefinition.ts";
import { type GuardianSets, KNOWN_GUARDIAN_SETS } from "../pyth/guardianSets.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { CHECKS_1, CHECKS_2 } from "./all.ts";
import type { Finding } from "./finding.ts";

type Pair =
  | { readonly schema: 1; readonly definition: PolicyDefinition1; readonly evidence: Evidence1 }
  | { readonly schema: 2; readonly definition: PolicyDefinition2; readonly evidence: Evidence2 };

/** Policy and evidence where the one can judge the other, else null. */
export function pairOf(definition: PolicyDefinition, evidence: Evidence): Pair | null {
  if (definition.schema === "assay.policy/1" && evidence.schema === "assay.evidence/1")
    return { schema: 1, definition, evidence };
  if (definition.schema === "assay.policy/2" && evidence.schema === "assay.evidence/2")
    return { schema: 2, definition, evidence };
  return null;
}

function paired(definition: PolicyDefinition, evidence: Evidence): Pair {
  const pair = pairOf(definition, evidence);
  if (pair === null)
    throw new AttestorError("invalid_evidence", `${definition.schema} does not judge ${evidence.schema}`);
  return pair;
}

/**
 * What every check of the policy finds, in the order of the report.
 * @param sets guardian sets that the reader knows
 * @throws AttestorError `invalid_evidence` when the policy is for evidence of another schema
 */
export function findingsOf(
  definition: PolicyDefinition,
  evidence: Evidence,
  sets: GuardianSets = KNOWN_GUARDIAN_SETS,
): Finding[] {
  const pair = paired(definition, evidence);
  return pair.schema === 1
    ? CHECKS_1.map((check) => check(pair.definition, pair.evidence))
    : pair.definition.checks.map((name) => CHECKS_2[name](pair.definition, pair.evidence, sets));
}

/**
 * The figures as they follow from the facts of the evidence.
 * @throws AttestorError `invalid_evidence` as `findingsOf`
 */
export function figuresAgain(definition: PolicyDefinition, evidence: Evidence): Figures | Figures1 {
  const pair = paired(definition, evidence);
  const { intent, capturedAt } = pair.evidence;
  return pair.schema === 1
    ? figures1Of(pair.definition, intent, pair.evidence.trade, pair.evidence, capturedAt)
    : figuresOf(pair.definition, intent, pair.evidence.trade, pair.evidence, capturedAt);
}
