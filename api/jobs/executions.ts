/** Submitted transactions of jobs, in the database. */
import { type Selectable, sql } from "kysely";
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import type { Classified } from "./classify.ts";
import { NEW, type NextLook, TRADED } from "./lookOrder.ts";
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

/** A job's submissions, and those of them that no look has found yet and that are not given up as dropped. */
export async function countOfJob(db: Database, jobId: string): Promise<{ all: number; unseen: number }> {
  const rows = await db
    .selectFrom("executions")
    .select(["state", "look_rank"])
    .where("job_id", "=", jobId)
    .execute();
  const unseen = rows.filter(({ state, look_rank }) => state === "submitted" && look_rank >= NEW);
  return { all: rows.length, unseen: unseen.length };
}

/** Submissions by one API key that no look has found yet, counted up to a limit. */
export async function countUnseenOfKey(db: Database, keyId: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom("executions")
    .select("id")
    .where((eb) => eb.and({ key_id: keyId, state: SUBMITTED }))
    .where("look_rank", ">=", NEW)
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

/** Whether there is anything that can still change. */
export async function isAnyOpen(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom("executions")
    .select("id")
    .where("next_look_at", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** `nowMs` in unix milliseconds. */
const due = (db: Database, nowMs: number) =>
  db
    .selectFrom("executions")
    .selectAll()
    .where("next_look_at", "is not", null)
    .where("next_look_at", "<=", nowMs);

/** Those that the watcher is due to look at, the longest due first. */
export const longestDue = (db: Database, nowMs: number, limit: number): Promise<StoredExecution[]> =>
  due(db, nowMs).orderBy("next_look_at").limit(limit).execute();

/** Those of one rank that are due, the last submitted first. */
export const dueOfRank = (
  db: Database,
  rank: number,
  nowMs: number,
  limit: number,
): Promise<StoredExecution[]> =>
  due(db, nowMs).where("look_rank", "=", rank).orderBy("submitted_at", "desc").limit(limit).execute();

/**
 * Remembers transactions in which the guard traded, and puts their submissions first.
 * @param nowMs unix milliseconds
 */
export async function recordTrades(db: Database, hashes: readonly string[], nowMs: number): Promise<void> {
  if (hashes.length === 0) return;
  const seenAt = Math.floor(nowMs / 1000);
  // Committed before the submissions are looked for: one that comes in between finds the trade itself.
  await db
    .insertInto("guard_trades")
    .values(hashes.map((hash) => ({ transaction_hash: hash, seen_at: seenAt })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .updateTable("executions")
    .set({ look_rank: TRADED, next_look_at: nowMs })
    .where("transaction_hash", "in", hashes)
    .where("state", "in", ["submitted", "dropped"])
    .where("next_look_at", "is not", null)
    .execute();
}

/** Puts a new submission first whose trade was seen before. */
export async function matchTrade(db: Database, transactionHash: string): Promise<void> {
  await db
    .updateTable("executions")
    .set({ look_rank: TRADED })
    .where((eb) => eb.and({ transaction_hash: transactionHash, state: "submitted" }))
    .where("transaction_hash", "in", (eb) =>
      eb
        .selectFrom("guard_trades")
        .select("guard_trades.transaction_hash")
        .where("guard_trades.transaction_hash", "=", transactionHash),
    )
    .execute();
}

export async function updateExecution(
  db: Database,
  id: string,
  seen: Classified,
  { nextLookAt, rank }: NextLook,
): Promise<void> {
  await db
    .updateTable("executions")
    .set({
      state: seen.state,
      report_version: seen.reportVersion,
      confirmed: seen.confirmed === null ? null : JSON.stringify(seen.confirmed),
      reason: seen.reason,
      next_look_at: nextLookAt,
      look_rank: rank,
    })
    .where("id", "=", id)
    .execute();
}

/** Changes nothing but when the next look is. */
export async function postponeLook(db: Database, id: string, { nextLookAt, rank }: NextLook): Promise<void> {
  await db
    .updateTable("executions")
    .set({ next_look_at: nextLookAt, look_rank: rank })
    .where("id", "=", id)
    .execute();
}
