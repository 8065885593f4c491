/** Looks up terms and payments. What comes out of the database is parsed like anything from outside. */
import { z } from "zod";
import type { Database } from "../../database/open.ts";
import { type PaymentKey, Requirements } from "./payload.ts";
import { COUNTING, OPEN, type Row, type StoredPayment, stored } from "./rows.ts";

const storedOrNull = (row: Row | undefined): StoredPayment | null => (row === undefined ? null : stored(row));

/** The terms frozen on a job; null: it was made free of charge. */
export async function findPaymentTerms(db: Database, jobId: string): Promise<Requirements[] | null> {
  const row = await db
    .selectFrom("payment_terms")
    .select("accepts")
    .where("job_id", "=", jobId)
    .executeTakeFirst();
  return row === undefined ? null : z.array(Requirements).parse(JSON.parse(row.accepts));
}

const byKey = (db: Database, { network, asset, payer, nonce }: PaymentKey) =>
  db
    .selectFrom("payments")
    .selectAll()
    .where((eb) => eb.and({ network, asset, payer, nonce }));

const byJob = (db: Database, jobId: string) =>
  db.selectFrom("payments").selectAll().where("job_id", "=", jobId).where("state", "in", COUNTING);

/** @throws DatabaseUnavailable */
export async function findPayment(db: Database, key: PaymentKey): Promise<StoredPayment | null> {
  return storedOrNull(await byKey(db, key).executeTakeFirst());
}

/** The one payment of a job that is under way or done. */
export async function paymentOfJob(db: Database, jobId: string): Promise<StoredPayment | null> {
  return storedOrNull(await byJob(db, jobId).executeTakeFirst());
}

/** What bears on one request for a job, in one statement. @param key of the payment that came; null: none did */
export async function findJobPayments(db: Database, jobId: string, key: PaymentKey | null) {
  if (key === null) return { ofJob: await paymentOfJob(db, jobId), presented: null };
  const rows = (await byJob(db, jobId).unionAll(byKey(db, key)).execute()).map(stored);
  return {
    /** The job's own, under way or done. */
    ofJob: rows.find((row) => row.jobId === jobId && row.state !== "expired") ?? null,
    /** The one that came with the request, in any state and for any job. */
    presented: rows.find((row) => isSameKey(row, key)) ?? null,
  };
}

const isSameKey = (one: PaymentKey, other: PaymentKey): boolean =>
  (["nonce", "payer", "asset", "network"] as const).every((member) => one[member] === other[member]);

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
