/** Which evidence anybody may read: that of trades which the guard carried out in a block that is final. */
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import type { ExecutedTrade } from "../../chain/guard/trades.ts";
import type { Database } from "../../database/open.ts";
import type { StoredReport } from "../jobs/schemas.ts";
import { findStoredReport, keepLogProof } from "../jobs/store.ts";
import type { DecisionLog } from "../log/log.ts";

/**
 * Makes the evidence of these trades public, as far as it is this service's. What was never signed stays private: the
 * guard cannot have carried it out.
 * @param trades by the guard's own events, in blocks that are final
 */
export async function publishEvidence(db: Database, trades: readonly ExecutedTrade[]): Promise<void> {
  if (trades.length === 0) return;
  const jobs = new Map(trades.map(({ evidenceHash, jobId }) => [evidenceHash, jobId]));
  const rows = await db
    .selectFrom("reports")
    .select(["job_id", "version", "evidence_hash"])
    .where("evidence_hash", "in", [...jobs.keys()])
    .where("execution", "is not", null)
    .execute();
  const own = rows.filter(({ job_id, evidence_hash }) => jobs.get(evidence_hash) === jobIdHash(job_id));
  if (own.length === 0) return;
  await db
    .insertInto("public_evidence")
    .values(own)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export interface PublicEvidence {
  /** With its execution, and nothing else of its job. */
  readonly report: StoredReport;
  /** Whether it will read the same for ever: all but the proof of the decision log, which may still come, always does. */
  readonly isFinal: boolean;
}

/**
 * The first proof of the decision log that is there for public evidence stays with it: the log gives another one as it
 * grows, and what was published does not change.
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
