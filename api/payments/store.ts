/** Quotes and payments in the database. What comes out of it is parsed like anything from outside. */
import { type Selectable, sql } from "kysely";
import { z } from "zod";
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import type { PaymentsTable } from "../../database/schema.ts";
import { Payment, Requirements } from "./payload.ts";
import type { Transferred } from "./token.ts";

/** The primary key: one authorization of a buyer's. */
export interface PaymentKey {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

export interface StoredPayment extends PaymentKey {
  readonly jobId: string;
  readonly state: "settling" | "settled" | "expired";
  /** Raw units. */
  readonly amount: string;
  readonly payTo: string;
  /** Unix seconds. */
  readonly validBefore: number;
  readonly payment: Payment;
  readonly terms: Requirements;
  readonly unusedAtBlock: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly attempts: number;
  readonly transactionHash: string | null;
  readonly releasedAt: number | null;
  /** Our own name for what went wrong last. */
  readonly fault: string | null;
}

export type NewPayment = Omit<
  StoredPayment,
  "jobId" | "state" | "attempts" | "transactionHash" | "releasedAt" | "fault"
> & { readonly nextLookAt: number };

type Row = Selectable<PaymentsTable>;

const stored = (row: Row): StoredPayment => ({
  network: row.network,
  asset: row.asset,
  payer: row.payer,
  nonce: row.nonce,
  jobId: row.job_id,
  state: row.state,
  amount: row.amount,
  payTo: row.pay_to,
  validBefore: row.valid_before,
  payment: Payment.parse(JSON.parse(row.payload)),
  terms: Requirements.parse(JSON.parse(row.requirements)),
  unusedAtBlock: row.unused_at_block,
  createdAt: row.created_at,
  attempts: row.attempts,
  transactionHash: row.transaction_hash,
  releasedAt: row.released_at,
  fault: row.fault,
});

const storedOrNull = (row: Row | undefined): StoredPayment | null => (row === undefined ? null : stored(row));

export async function insertQuote(
  db: Database,
  jobId: string,
  accepts: readonly Requirements[],
  now: number,
): Promise<void> {
  await db
    .insertInto("quotes")
    .values({ job_id: jobId, accepts: JSON.stringify(accepts), created_at: now })
    .execute();
}

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

/** Written out as in the index of a job's one payment: SQLite looks no further than the text. */
const COUNTING = (["settling", "settled"] as const).map((state) => sql.lit(state));
/** Likewise, as in the index of open payments. */
const OPEN = sql.lit("settling" as const);

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

/** Whether a purchase of a body without a key is being settled at the moment. */
export async function isBodySettling(db: Database, requestHash: string): Promise<boolean> {
  const row = await db
    .selectFrom("payments")
    .innerJoin("jobs", "jobs.id", "payments.job_id")
    .select("payments.nonce")
    .where("payments.state", "=", OPEN)
    .where("jobs.request_hash", "=", requestHash)
    .where("jobs.key_id", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * A payer's purchase of the same body since a time, whose report nobody got yet.
 * @param since unix seconds
 */
export async function unreleasedPurchase(
  db: Database,
  payer: string,
  requestHash: string,
  since: number,
): Promise<StoredPayment | null> {
  return storedOrNull(
    await db
      .selectFrom("payments")
      .innerJoin("jobs", "jobs.id", "payments.job_id")
      .selectAll("payments")
      .where("payments.payer", "=", payer)
      .where("payments.created_at", ">=", since)
      .where("payments.state", "in", ["settling", "settled"])
      .where("payments.released_at", "is", null)
      .where("jobs.request_hash", "=", requestHash)
      .where("jobs.key_id", "is", null)
      .orderBy("payments.created_at")
      .limit(1)
      .executeTakeFirst(),
  );
}

/**
 * Writes down that a payment is about to be made: the first that knows of it, before any money can move.
 * @param bind stores what is bought, in the same transaction, and names its job
 * @returns false when the authorization, or a payment for the job, stands there already; nothing is stored then
 */
export async function insertIntent(
  db: Database,
  payment: NewPayment,
  bind: (trx: Database) => Promise<string>,
): Promise<boolean> {
  try {
    await db.transaction().execute(async (trx) => {
      const jobId = await bind(trx);
      await trx
        .insertInto("payments")
        .values(rowOf(payment, jobId, "settling"))
        .execute();
    });
    return true;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** `fault` of a payment that was not needed, because its payer had paid for the same a moment before. */
export const COVERED = "covered";

/** Writes down a payment that is not made, so that it is known when it comes again. */
export async function insertCovered(db: Database, payment: NewPayment, jobId: string): Promise<void> {
  await db
    .insertInto("payments")
    .values({ ...rowOf(payment, jobId, "expired"), fault: COVERED })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function rowOf(payment: NewPayment, jobId: string, state: "settling" | "expired") {
  return {
    network: payment.network,
    asset: payment.asset,
    payer: payment.payer,
    nonce: payment.nonce,
    job_id: jobId,
    state,
    amount: payment.amount,
    pay_to: payment.payTo,
    valid_before: payment.validBefore,
    payload: JSON.stringify(payment.payment),
    requirements: JSON.stringify(payment.terms),
    unused_at_block: payment.unusedAtBlock,
    created_at: payment.createdAt,
    attempts: 0,
    attempt_until: 0,
    next_look_at: payment.nextLookAt,
  };
}

const update = (db: Database, { network, asset, payer, nonce }: PaymentKey) =>
  db
    .updateTable("payments")
    .where("network", "=", network)
    .where("asset", "=", asset)
    .where("payer", "=", payer)
    .where("nonce", "=", nonce)
    // What is settled or expired stays so.
    .where("state", "=", "settling");

/**
 * Takes the one attempt that may be under way, in one statement.
 * @param nowMs unix milliseconds
 * @returns false when another has it
 */
export async function takeAttempt(
  db: Database,
  key: PaymentKey,
  nowMs: number,
  untilMs: number,
): Promise<boolean> {
  const taken = await update(db, key)
    .set((eb) => ({ attempts: eb("attempts", "+", 1), attempt_until: untilMs }))
    .where("attempt_until", "<=", nowMs)
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
  await update(db, key)
    .set({
      attempt_until: 0,
      fault,
      next_look_at: nextLookAt,
      ...(hint === null ? {} : { transaction_hash: hint }),
    })
    .execute();
}

/** @returns whether this call made the change */
export async function markSettled(
  db: Database,
  key: PaymentKey,
  { transactionHash, blockNumber, blockHash }: Transferred,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await update(db, key)
    .set({
      state: "settled",
      transaction_hash: transactionHash,
      block_number: blockNumber,
      block_hash: blockHash,
      settled_at: now,
      attempt_until: 0,
      fault: null,
    })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * A job without a key has no other way to its reports than this payment, so they go: one balance can back any number
 * of authorizations that are good when they are verified, and must not fill the database.
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
      .set({ state: "expired", transaction_hash: null, attempt_until: 0, fault })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
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

export async function setNextLook(db: Database, key: PaymentKey, nextLookAt: number): Promise<void> {
  await update(db, key).set({ next_look_at: nextLookAt }).execute();
}
