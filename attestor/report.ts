/** The judgement: evidence in, findings and a decision out. Deterministic, so anyone can run it again. */
import { z } from "zod";
import { canonicalHash } from "./canonical.ts";
import { Finding } from "./checks/finding.ts";
import { Evidence } from "./evidence.ts";
import { findingsOf } from "./judging.ts";
import type { Policy } from "./policy.ts";
import { Bytes32 } from "./primitives.ts";

export const Decision = z.enum(["ALLOW", "DENY"]);
export type Decision = z.infer<typeof Decision>;

export const Report = z
  .strictObject({
    jobId: z.string(),
    version: z.int().min(1),
    decision: Decision,
    policyId: z.string(),
    policyHash: Bytes32,
    registryVersion: z.string(),
    registryHash: Bytes32,
    /** keccak256 of the evidence's canonical JSON. */
    evidenceHash: Bytes32,
    evidence: Evidence,
    findings: z.array(Finding),
    createdAt: z.string().meta({ format: "date-time" }),
  })
  .meta({ id: "Report" });
export type Report = z.infer<typeof Report>;

/**
 * Judges evidence by a policy. `ALLOW` needs every check to pass: what is not known denies.
 * @param policy the policy that the evidence names
 * @throws AttestorError `invalid_evidence` when the policy is for evidence of another schema
 */
export function evaluate(policy: Policy, evidence: Evidence): Report {
  const findings = findingsOf(policy.definition, evidence);
  return {
    jobId: evidence.jobId,
    version: evidence.reportVersion,
    decision: findings.every((finding) => finding.outcome === "pass") ? "ALLOW" : "DENY",
    policyId: policy.definition.policyId,
    policyHash: policy.definitionHash,
    registryVersion: evidence.registry.version,
    registryHash: evidence.registry.hash,
    evidenceHash: canonicalHash(evidence),
    evidence,
    findings,
    createdAt: new Date(evidence.capturedAt * 1000).toISOString(),
  };
}
