/** The evidence that anybody may read. */
import type { Database } from "../../database/open.ts";
import type { StoredReport } from "../jobs/schemas.ts";
import { findStoredReport, keepLogProof } from "../jobs/store.ts";
import type { DecisionLog } from "../log/log.ts";

export interface PublicEvidence {
  /** With its execution, and nothing else of its job. */
  readonly report: StoredReport;
  /** Whether it is final: always, except while the proof of the decision log is still missing. */
  readonly isFinal: boolean;
}

/**
 * Public evidence keeps its first proof of the decision log: the log gives another one as it grows, and published
 * evidence does not change.
 * @returns null where it is not public
 */
export async function findPublicEvidence(
  db: Database,
  log: Pick<DecisionLog, "proofOf">,
  evidenceHash: string,
): Promise<PublicEvidence | null> {
  const row = await db
    .selectFrom("public_evidence")
    .select(["job_id", "version"])
    .where("evidence_hash", "=", evidenceHash)
    .executeTakeFirst();
  const report = row && (await findStoredReport(db, row.job_id, row.version));
  if (!report) return null;
  if (report.log === undefined || report.log.proof !== null) return { report, isFinal: true };
  const proof = await log.proofOf(report);
  if (proof === null) return { report, isFinal: false };
  const kept = await keepLogProof(db, report, proof);
  return { report: { ...report, log: { ...report.log, proof: kept } }, isFinal: true };
}
