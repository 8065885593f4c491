/** Submitted transactions of jobs, in the database. */
import type { Selectable } from "kysely";
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import type { ExecutionsTable } from "../../database/schema.ts";
import type { Classified } from "./classify.ts";
import { Confirmed, type Execution } from "./schemas.ts";

export type StoredExecution = Selectable<ExecutionsTable>;

/** As the API shows it. */
export function executionView(row: StoredExecution): Execution {
  return {
    executionId: row.id,
    transactionHash: row.transaction_hash,
    reportVersion: row.report_version,
    state: row.state,
    confirmed: row.confirmed === null ? null : Confirmed.parse(JSON.parse(row.confirmed)),
    submittedAt: new Date(row.submitted_at * 1000).toISOString(),
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}

/** All of a job, oldest first. */
export function listExecutions(db: Database, jobId: string): Promise<StoredExecution[]> {
  return db
    .selectFrom("executions")
    .selectAll()
    .where("job_id", "=", jobId)
    .orderBy("submitted_at")
    .orderBy("id")
    .execute();
}

export async function findExecution(
  db: Database,
  jobId: string,
  transactionHash: string,
): Promise<StoredExecution | null> {
  const row = await db
    .selectFrom("executions")
    .selectAll()
    .where("job_id", "=", jobId)
    .where("transaction_hash", "=", transactionHash)
    .executeTakeFirst();
  return row ?? null;
}

/** How many of a job's executions the watcher still waits to see on chain. */
export async function countSubmitted(db: Database, jobId: string): Promise<number> {
  const { n } = await db
    .selectFrom("executions")
    .select((eb) => eb.fn.countAll().as("n"))
    .where("job_id", "=", jobId)
    .where("state", "in", ["submitted", "dropped"])
    .where("next_look_at", "is not", null)
    .executeTakeFirstOrThrow();
  return Number(n);
}

/** @returns false when the job has that transaction already */
export async function insertExecution(db: Database, row: StoredExecution): Promise<boolean> {
  try {
    await db.insertInto("executions").values(row).execute();
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** Those that the watcher is due to look at, the longest due first. `nowMs` in unix milliseconds. */
export function dueExecutions(db: Database, nowMs: number, limit: number): Promise<StoredExecution[]> {
  return db
    .selectFrom("executions")
    .selectAll()
    .where("next_look_at", "is not", null)
    .where("next_look_at", "<=", nowMs)
    .orderBy("next_look_at")
    .limit(limit)
    .execute();
}

/** @param nextLookAt unix milliseconds; null when nothing can change any more */
export async function updateExecution(
  db: Database,
  id: string,
  seen: Classified,
  nextLookAt: number | null,
): Promise<void> {
  await db
    .updateTable("executions")
    .set({
      state: seen.state,
      report_version: seen.reportVersion,
      confirmed: seen.confirmed === null ? null : JSON.stringify(seen.confirmed),
      reason: seen.reason,
      next_look_at: nextLookAt,
    })
    .where("id", "=", id)
    .execute();
}
