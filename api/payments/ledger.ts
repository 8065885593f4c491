/**
 * Every statement about terms and payments: what is looked up, and every way in which a payment changes (the transitions
 * are those of `settle.ts`). What comes out of the database is parsed like anything from outside.
 */
import { z } from "zod";
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { logWithheld } from "../log/entries.ts";
import type { Transfer } from "./chainEvents.ts";
import type { PaymentKey } from "./payload.ts";
import { Requirements } from "./requirements.ts";
import { type Attempt, COUNTING, type NewPayment, OPEN, rowOf, type StoredPayment, stored } from "./rows.ts";

/** Freezes what a job costs. @param now unix seconds */
export async function insertPaymentTerms(
  db: Database,
  jobId: string,
  accepts: readonly Requirements[],
  now: number,
): Promise<void> {
  await db
    .insertInto("payment_terms")
    .values({ job_id: jobId, accepts: JSON.stringify(accepts), created_at: now })
    .execute();
}

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

export async function findPayment(db: Database, key: PaymentKey): Promise<StoredPayment | null> {
  const row = await byKey(db, key).executeTakeFirst();
  return row === undefined ? null : stored(row);
}

/** The one payment of a job that is under way or done. */
export async function paymentOfJob(db: Database, jobId: string): Promise<StoredPayment | null> {
  const row = await byJob(db, jobId).executeTakeFirst();
  return row === undefined ? null : stored(row);
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

/** How many payments there are of each state and token, and since when. */
export function countPayments(db: Database) {
  return db
    .selectFrom("payments")
    .select(["state", "network", "asset"])
    .select((eb) => [eb.fn.countAll().as("count"), eb.fn.min("created_at").as("oldest")])
    .groupBy(["state", "network", "asset"])
    .execute();
}

/** Another payment for the same was written down first. */
export class PurchaseTaken extends Error {
  constructor() {
    super("the same purchase was recorded before");
    this.name = "PurchaseTaken";
  }
}

/**
 * Writes down that a payment is about to be made: the first that knows of it, before any money can move.
 * @param attempt of who writes it down, and settles it at once
 * @param bind stores what is bought, in the same transaction, and names its job
 * @returns the payment as it is stored; null when the authorization, a payment for the job, or the same purchase of a
 *   body exists already: nothing is stored then
 */
export async function insertIntent(
  db: Database,
  payment: NewPayment,
  { until, owner }: Attempt,
  bind: (trx: Database) => Promise<string>,
): Promise<StoredPayment | null> {
  const attempt = { attempts: 1, attempt_until: until, attempt_owner: owner };
  try {
    return await db.transaction().execute(async (trx) => {
      const jobId = await bind(trx);
      const row = await trx
        .insertInto("payments")
        .values({ ...rowOf(payment, jobId), ...attempt, state: "settling" })
        .returningAll()
        .executeTakeFirstOrThrow();
      return stored(row);
    });
  } catch (error) {
    if (isUniqueViolation(error) || error instanceof PurchaseTaken) return null;
    throw error;
  }
}

/** `fault` of a payment that was not needed, because its payer had paid for the same a moment before. */
export const COVERED = "covered";

/** Writes down a payment that is not made, so that it is known when it comes again. */
export async function insertCovered(db: Database, payment: NewPayment, jobId: string): Promise<void> {
  const never = { attempts: 0, attempt_until: 0, attempt_owner: null };
  await db
    .insertInto("payments")
    .values({ ...rowOf(payment, jobId), ...never, state: "expired", fault: COVERED })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const update = (db: Database, { network, asset, payer, nonce }: PaymentKey) =>
  db
    .updateTable("payments")
    .where((eb) => eb.and({ network, asset, payer, nonce }))
    // What is settled or expired stays so.
    .where("state", "=", "settling");

/**
 * Takes the one attempt that may be under way, in one statement.
 * @param dead a process that is gone: its attempt is taken, and no other
 * @returns false when another has it
 */
export async function takeAttempt(
  db: Database,
  key: PaymentKey,
  { now, until, owner }: Attempt,
  dead?: string,
): Promise<boolean> {
  const taken = await update(db, key)
    .set((eb) => ({ attempts: eb("attempts", "+", 1), attempt_until: until, attempt_owner: owner }))
    .where((eb) => (dead === undefined ? eb("attempt_until", "<=", now) : eb("attempt_owner", "=", dead)))
    .returning("attempts")
    .executeTakeFirst();
  return taken !== undefined;
}

/** @param hint the transaction that the facilitator named, if any */
export async function endAttempt(
  db: Database,
  key: PaymentKey,
  { fault, hint, nextLookAt }: { fault: string | null; hint: string | null; nextLookAt: number },
): Promise<void> {
  const named = hint === null ? {} : { transaction_hash: hint };
  await update(db, key)
    .set({ attempt_until: 0, attempt_owner: null, fault, next_look_at: nextLookAt, ...named })
    .execute();
}

export async function scheduleLook(db: Database, key: PaymentKey, nextLookAt: number): Promise<void> {
  await update(db, key).set({ next_look_at: nextLookAt }).execute();
}

/**
 * Claims a transfer for a payment, which is settled by it, and lets the log have the entry of what it bought. A unique index
 * gives a transfer to one payment.
 * @returns `ended` when the payment has come to its end before, `taken` when the transfer is another payment's
 */
export async function claimTransfer(
  db: Database,
  payment: PaymentKey & { readonly jobId: string },
  { transactionHash, blockNumber, blockHash, logIndex }: Transfer,
  now: number,
): Promise<"claimed" | "taken" | "ended"> {
  try {
    return await db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await update(trx, payment)
        .set({
          state: "settled",
          transaction_hash: transactionHash,
          block_number: blockNumber,
          block_hash: blockHash,
          log_index: logIndex,
          settled_at: now,
          attempt_until: 0,
          attempt_owner: null,
          fault: null,
        })
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return "ended";
      await logWithheld(trx, [payment.jobId]);
      return "claimed";
    });
  } catch (error) {
    if (isUniqueViolation(error)) return "taken";
    throw error;
  }
}

/**
 * Reports of a job without a key are only accessible by this payment, so they are deleted. One balance can back any
 * number of authorizations that are valid when verified, which must not fill the database.
 * @param fault why it came to nothing
 * @returns whether this call made the change
 */
export async function markExpired(
  db: Database,
  payment: PaymentKey & { readonly jobId: string },
  fault: string,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await update(trx, payment)
      .set({ state: "expired", transaction_hash: null, attempt_until: 0, attempt_owner: null, fault })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    // Its purchase answers for nothing any more.
    await trx.deleteFrom("body_purchases").where("job_id", "=", payment.jobId).execute();
    await trx
      .deleteFrom("reports")
      .where("job_id", "=", (eb) =>
        eb.selectFrom("jobs").select("id").where("id", "=", payment.jobId).where("key_id", "is", null),
      )
      .execute();
    return true;
  });
}

/** Notes that an answer with the report went out whole. */
export async function markReleased(db: Database, jobId: string, now: number): Promise<void> {
  await db
    .updateTable("payments")
    .set({ released_at: now })
    .where("job_id", "=", jobId)
    .where("state", "in", COUNTING)
    .where("state", "=", "settled")
    .where("released_at", "is", null)
    .execute();
}
