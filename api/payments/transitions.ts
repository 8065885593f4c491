/** Every way in which the ledger of payments changes; the transitions of a payment are those of `settle.ts`. */
import { isUniqueViolation } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { PurchaseTaken } from "./bodyPurchases.ts";
import type { Transferred } from "./chainReader.ts";
import type { PaymentKey, Requirements } from "./payload.ts";
import { type Attempt, COUNTING, type NewPayment, rowOf, type StoredPayment, stored } from "./rows.ts";

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

/**
 * Writes down that a payment is about to be made: the first that knows of it, before any money can move.
 * @param bind stores what is bought, in the same transaction, and names its job
 * @returns the payment as it is stored; null when the authorization, a payment for the job, or the same purchase of a
 *   body exists already: nothing is stored then
 */
export async function insertIntent(
  db: Database,
  payment: NewPayment,
  bind: (trx: Database) => Promise<string>,
): Promise<StoredPayment | null> {
  try {
    return await db.transaction().execute(async (trx) => {
      const jobId = await bind(trx);
      const row = await trx
        .insertInto("payments")
        .values(rowOf(payment, jobId, "settling"))
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
  await db
    .insertInto("payments")
    .values({ ...rowOf(payment, jobId, "expired"), fault: COVERED })
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
  await update(db, key)
    .set({
      attempt_until: 0,
      attempt_owner: null,
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
      attempt_owner: null,
      fault: null,
    })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
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

export async function setNextLook(db: Database, key: PaymentKey, nextLookAt: number): Promise<void> {
  await update(db, key).set({ next_look_at: nextLookAt }).execute();
}
