/** How the trade of public evidence was executed, as this service read it from the guard's event. */
import type { Database } from "../../database/open.ts";
import { Confirmed } from "../jobs/schemas.ts";

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
