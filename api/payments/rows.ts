/** A payment as the database holds it, and as the program reads it. Members are described at their columns (`database/baseline.sql`). */
import { type Selectable, sql } from "kysely";
import type { Schema } from "../../database/schema.ts";
import { authorizationOf, keyOf, Payment } from "./payload.ts";
import { Requirements } from "./requirements.ts";

/** The process that may try to settle a payment, and until when exclusively; unix milliseconds. */
export interface Attempt {
  readonly now: number;
  readonly until: number;
  readonly owner: string | null;
}

export type Row = Selectable<Schema["payments"]>;

export type StoredPayment = Readonly<ReturnType<typeof stored>>;

export const stored = (row: Row) => ({
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
  attemptOwner: row.attempt_owner,
  transactionHash: row.transaction_hash,
  settledAt: row.settled_at,
  fault: row.fault,
});

/** A payment that was inspected. */
export interface NewPayment {
  readonly payment: Payment;
  readonly terms: Requirements;
  readonly unusedAtBlock: number;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix milliseconds. */
  readonly nextLookAt: number;
}

export function rowOf({ payment, terms, unusedAtBlock, createdAt, nextLookAt }: NewPayment, jobId: string) {
  return {
    ...keyOf(payment),
    job_id: jobId,
    amount: terms.amount,
    pay_to: terms.payTo,
    valid_before: Number(authorizationOf(payment).validBefore),
    payload: JSON.stringify(payment),
    requirements: JSON.stringify(terms),
    unused_at_block: unusedAtBlock,
    created_at: createdAt,
    next_look_at: nextLookAt,
  };
}

/** Written out as in the index of a job's one payment: SQLite looks no further than the text. */
export const COUNTING = (["settling", "settled"] as const).map((state) => sql.lit(state));

/** Likewise, as in the index of open payments. */
export const OPEN = sql.lit("settling" as const);
