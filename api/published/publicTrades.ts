/** What anybody may read of executed trades: their evidence, and how each was executed. */
import type { Database } from "../../database/open.ts";
import { findStoredReport, keepLogProof } from "../jobs/reports.ts";
import { Confirmed, type StoredReport } from "../jobs/schemas.ts";
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

export interface ExecutedTrade extends Confirmed {
  readonly transactionHash: string;
}

/**
 * Of evidence that is public alone: it is so once a block is final that has its trade.
 * @returns null where nobody told this service of the transaction
 * @throws DatabaseUnavailable
 */
export async function findExecutedTrade(
  db: Database,
  { jobId, version }: { readonly jobId: string; readonly version: number },
): Promise<ExecutedTrade | null> {
  const row = await db
    .selectFrom("executions")
    .select(["transaction_hash", "confirmed"])
    .where((eb) => eb.and({ job_id: jobId, report_version: version, state: "confirmed" }))
    .limit(1)
    .executeTakeFirst();
  if (row?.confirmed == null) return null;
  return { transactionHash: row.transaction_hash, ...Confirmed.parse(JSON.parse(row.confirmed)) };
}
