/** Looks up quotes and payments. What comes out of the database is parsed like anything from outside. */
import { z } from "zod";
import type { Database } from "../../database/open.ts";
import { Requirements } from "./payload.ts";
import { COUNTING, OPEN, type PaymentKey, type Row, type StoredPayment, stored } from "./rows.ts";

const storedOrNull = (row: Row | undefined): StoredPayment | null => (row === undefined ? null : stored(row));

/** The terms frozen on a job; null: it was made free of charge. */
export async function findQuote(db: Database, jobId: string): Promise<Requirements[] | null> {
  const row = await db.selectFrom("quotes").select("accepts").where("job_id", "=", jobId).executeTakeFirst();
  return row === undefined ? null : z.array(Requirements).parse(JSON.parse(row.accepts));
}

const byKey = (db: Database, { network, asset, payer, nonce }: PaymentKey) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where("network", "=", network)
    .where("asset", "=", asset)
    .where("payer", "=", payer)
    .where("nonce", "=", nonce);

export async function findPayment(db: Database, key: PaymentKey): Promise<StoredPayment | null> {
  return storedOrNull(await byKey(db, key).executeTakeFirst());
}

/** The one payment of a job that is under way or done. */
export async function paymentOfJob(db: Database, jobId: string): Promise<StoredPayment | null> {
  return storedOrNull(
    await db
      .selectFrom("payments")
      .selectAll()
      .where("job_id", "=", jobId)
      .where("state", "in", COUNTING)
      .executeTakeFirst(),
  );
}

/** Whether somebody's purchase of a body without a key is being settled at the moment. */
export async function isBodySettling(db: Database, requestHash: string, payer: string): Promise<boolean> {
  const row = await db
    .selectFrom("payments")
    .innerJoin("jobs", "jobs.id", "payments.job_id")
    .select("payments.nonce")
    .where("payments.state", "=", OPEN)
    .where("payments.payer", "=", payer)
    .where("jobs.request_hash", "=", requestHash)
    .where("jobs.key_id", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Payments under way that are due for a look, the longest due first. `nowMs` in unix milliseconds. */
export async function dueSettlements(db: Database, nowMs: number, limit: number): Promise<StoredPayment[]> {
  const rows = await db
    .selectFrom("payments")
    .selectAll()
    .where("state", "=", OPEN)
    .where("next_look_at", "<=", nowMs)
    .orderBy("next_look_at")
    .limit(limit)
    .execute();
  return rows.map(stored);
}
