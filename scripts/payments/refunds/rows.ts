/**
 * The ledger of refunds: every way in which it changes. A payment has one row at most, so it is refunded once at most.
 *
 * - (none) → proposed: a possible sender knows of it
 * - proposed → confirmed: the chain has the transfer, deep enough, and it belongs to no other refund
 * - proposed → (none): withdrawn; nobody will send it
 */
import type { Selectable } from "kysely";
import { isUniqueViolation } from "../../../database/errors.ts";
import type { Database } from "../../../database/open.ts";
import type { Schema } from "../../../database/schema.ts";
import type { PaymentRecord } from "../ledger.ts";

export type RefundRow = Selectable<Schema["refunds"]>;
export type RefundKey = Pick<RefundRow, "network" | "asset" | "payer" | "nonce">;

export interface Transfer {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly logIndex: number;
  /** EIP-55. */
  readonly from: string;
}

export async function findRefund(db: Database, key: RefundKey): Promise<RefundRow | null> {
  const row = await db.selectFrom("refunds").selectAll().where(matches(key)).executeTakeFirst();
  return row ?? null;
}

/** Transfers to a payer that are refunds already, by `transferName`. */
export async function findTaken(
  db: Database,
  { network, payer }: Pick<RefundRow, "network" | "payer">,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("refunds")
    .select(["transaction_hash", "log_index"])
    .where((eb) => eb.and({ network, payer, state: "confirmed" }))
    .execute();
  return new Set(rows.map(({ transaction_hash, log_index }) => `${transaction_hash} ${log_index}`));
}

export const transferName = ({ transactionHash, logIndex }: Transfer): string =>
  `${transactionHash} ${logIndex}`;

/** Oldest first. */
export function listRefunds(db: Database): Promise<RefundRow[]> {
  return db.selectFrom("refunds").selectAll().orderBy("created_at").orderBy("nonce").execute();
}

/** @param now unix seconds @returns the row, or the one that stood there already */
export async function propose(
  db: Database,
  payment: PaymentRecord,
  given: { sender: string; fromBlock: number; actor: string; reason: string | null; now: number },
): Promise<RefundRow> {
  const { network, asset, payer, nonce, jobId, amount } = payment;
  await db
    .insertInto("refunds")
    .values({
      network,
      asset,
      payer,
      nonce,
      job_id: jobId,
      state: "proposed",
      amount,
      sender: given.sender,
      from_block: given.fromBlock,
      actor: given.actor,
      reason: given.reason,
      created_at: given.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await findRefund(db, { network, asset, payer, nonce });
  if (row === null) throw new Error("the refund was withdrawn at this very moment");
  return row;
}

/** @param now unix seconds @returns false when the transfer is another refund's */
export async function confirm(
  db: Database,
  key: RefundKey,
  { transactionHash, blockNumber, logIndex, from }: Transfer,
  now: number,
): Promise<boolean> {
  try {
    const { numUpdatedRows } = await db
      .updateTable("refunds")
      .set({
        state: "confirmed",
        sender: from,
        transaction_hash: transactionHash,
        block_number: blockNumber,
        log_index: logIndex,
        confirmed_at: now,
      })
      .where(matches(key))
      .where("state", "<>", "confirmed")
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}

/** @returns false when it is not only proposed */
export async function withdraw(db: Database, key: RefundKey): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("refunds")
    .where(matches(key))
    .where("state", "=", "proposed")
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const matches =
  ({ network, asset, payer, nonce }: RefundKey) =>
  // biome-ignore lint/suspicious/noExplicitAny: the expression builder of three kinds of statements
  (eb: any) =>
    eb.and({ network, asset, payer, nonce });
