/** The judgement: evidence in, findings and a decision out. Deterministic, so anyone can run it again. */
import * as z from "zod";
import { Finding } from "./checks/check.ts";
import { CHECKS } from "./checks/checks.ts";
import { Evidence } from "./evidence/evidence.ts";
import { Salt } from "./log/entry.ts";
import type { Policy } from "./policies/policy.ts";
import { tighten } from "./policies/tighten.ts";
import { Proofs } from "./proofs/stateProofs.ts";
import { canonicalHash, type TextHash } from "./values/canonical.ts";
import { Bytes32, JobId } from "./values/primitives.ts";

export const Decision = z.enum(["ALLOW", "DENY"]);
export type Decision = z.infer<typeof Decision>;

/** What leads from a report to its entry in the decision log. */
const ReportLog = z
  .strictObject({
    salt: Salt.describe("16 random bytes: SHA-256 of them and the job id names the job in the log"),
    proof: z
      .string()
      .nullable()
      .describe(
        "Proof of inclusion (c2sp.org/tlog-proof@v1) with the log's signed checkpoint; null until there is one",
      ),
  })
  .meta({ id: "ReportLog" });
export type ReportLog = z.infer<typeof ReportLog>;

export const Report = z
  .strictObject({
    jobId: JobId,
    version: z.int().min(1).describe("Version of the report within its job, from 1"),
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
    /** Where the decision log has it; absent from a judgement that is not stored. */
    log: ReportLog.optional(),
    /** What the evidence's `proofs` names; not there where it names none. */
    proofs: Proofs.optional(),
  })
  .meta({ id: "Report" });
export type Report = z.infer<typeof Report>;

/**
 * Judges evidence by a policy. `ALLOW` needs every check to pass: what is not known denies.
 * @param policy the policy that the evidence names
 * @param hash a server may bring a faster one of the same kind
 */
export function evaluate(policy: Policy, evidence: Evidence, hash?: TextHash): Report {
  const tightened = tighten(policy.definition, evidence.intent.limits);
  const findings = CHECKS.map(
    (check): Finding => ({ check: check.name, ...check.judge(tightened, evidence) }),
  );
  return {
    jobId: evidence.jobId,
    version: evidence.reportVersion,
    decision: findings.every((finding) => finding.outcome === "pass") ? "ALLOW" : "DENY",
    policyId: policy.definition.policyId,
    policyHash: policy.definitionHash,
    registryVersion: evidence.registry.version,
    registryHash: evidence.registry.hash,
    evidenceHash: canonicalHash(evidence, hash),
    evidence,
    findings,
    createdAt: new Date(evidence.capturedAt * 1000).toISOString(),
  };
}
