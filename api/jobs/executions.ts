/** Submitted transactions of jobs, in the database. */
import { type Selectable, sql } from "kysely";
import type { UnixMs } from "../../attestor/values/time.ts";
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import type { Classified } from "./classify.ts";
import { Confirmed, type Execution } from "./schemas.ts";

export type StoredExecution = Selectable<Schema["executions"]>;

/** Written out as in the index: SQLite looks no further than the text. */
const SUBMITTED = sql.lit("submitted" as const);

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
    .where((eb) => eb.and({ job_id: jobId, transaction_hash: transactionHash }))
    .executeTakeFirst();
  return row ?? null;
}

/** A job's submissions, and those of them that are not in a block yet and not given up as dropped. */
export async function countOfJob(db: Database, jobId: string): Promise<{ all: number; waiting: number }> {
  const rows = await db.selectFrom("executions").select("state").where("job_id", "=", jobId).execute();
  return { all: rows.length, waiting: rows.filter(({ state }) => state === "submitted").length };
}

/** Submissions by one API key that are not in a block yet, counted up to a limit. */
export async function countWaitingOfKey(db: Database, keyId: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom("executions")
    .select("id")
    .where((eb) => eb.and({ key_id: keyId, state: SUBMITTED }))
    .limit(limit)
    .execute();
  return rows.length;
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

/** Those that can still change. */
const open = (db: Database) => db.selectFrom("executions").selectAll().where("next_look_at", "is not", null);

/** Whether there is anything that can still change. */
export async function isAnyOpen(db: Database): Promise<boolean> {
  return (await open(db).limit(1).executeTakeFirst()) !== undefined;
}

/**
 * The queue: those that are due for a look, the longest due and the last submitted in equal shares. So neither a flood of
 * hashes that no node will ever know, nor a backlog of them, keeps others waiting.
 */
export async function dueExecutions(db: Database, now: UnixMs, limit: number): Promise<StoredExecution[]> {
  const due = () => open(db).where("next_look_at", "<=", now);
  const longest = await due().orderBy("next_look_at").limit(limit).execute();
  if (longest.length < limit) return longest;
  const share = Math.floor(limit / 2);
  const newest = await due().orderBy("submitted_at", "desc").limit(share).execute();
  return [...newest, ...longest.slice(0, share)];
}

/** Those of transactions that are not known to be in a block. */
export async function waitingExecutions(db: Database, hashes: readonly string[]): Promise<StoredExecution[]> {
  if (hashes.length === 0) return [];
  return await open(db)
    .where("transaction_hash", "in", hashes)
    .where("state", "in", ["submitted", "dropped"])
    .execute();
}

/** @param nextLookAt null: nothing can change any more */
export async function updateExecution(
  db: Database,
  id: string,
  seen: Classified,
  nextLookAt: UnixMs | null,
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

/** Changes nothing but when the next look is. */
export async function postponeLook(db: Database, id: string, nextLookAt: UnixMs | null): Promise<void> {
  await db.updateTable("executions").set({ next_look_at: nextLookAt }).where("id", "=", id).execute();
}
