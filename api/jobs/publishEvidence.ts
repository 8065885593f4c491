/** Which evidence anybody may read: that of trades which the guard carried out in a block that is final. */
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import type { ExecutedTrade } from "../../chain/guard/trades.ts";
import type { Database } from "../../database/open.ts";

/**
 * Makes the evidence of these trades public, as far as it is this service's. What was never signed stays private: the
 * guard cannot have carried it out.
 * @param trades by the guard's own events, in blocks that are final
 */
export async function publishEvidence(
  db: Database,
  trades: readonly Pick<ExecutedTrade, "jobId" | "evidenceHash">[],
): Promise<void> {
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
