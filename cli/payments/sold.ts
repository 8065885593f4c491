/** For one job: whether its reports were paid for, by what, and under which terms. */
import { z } from "zod";
import { Requirements } from "../../api/payments/payload.ts";
import type { Database } from "../../database/open.ts";
import { listPayments, type PaymentRecord, type PaymentState } from "./report.ts";

/** Whether a job's reports were paid for. */
export interface SoldReports {
  readonly jobId: string;
  /** `free`: made in the free phase. */
  readonly payment: "free" | "required" | "settling" | "settled";
  /** API key that the job belongs to; null: made in one shot. */
  readonly keyId: string | null;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly versions: readonly {
    readonly version: number;
    readonly kind: string;
    readonly decision: string;
    readonly evidenceHash: string;
    /** Unix seconds. */
    readonly createdAt: number;
  }[];
  /** The terms frozen on the job; null: it is free. */
  readonly terms: readonly Requirements[] | null;
  /** Every payment for it, those that came to nothing included, newest first. */
  readonly payments: readonly PaymentRecord[];
}

/** @returns null where there is no such job */
export async function soldReports(db: Database, jobId: string): Promise<SoldReports | null> {
  const job = await db
    .selectFrom("jobs")
    .select(["id", "key_id", "created_at", "expires_at"])
    .where("id", "=", jobId)
    .executeTakeFirst();
  if (job === undefined) return null;
  const frozen = await db
    .selectFrom("payment_terms")
    .select("accepts")
    .where("job_id", "=", jobId)
    .executeTakeFirst();
  const versions = await db
    .selectFrom("reports")
    .select(["version", "kind", "decision", "evidence_hash as evidenceHash", "created_at as createdAt"])
    .where("job_id", "=", jobId)
    .orderBy("version")
    .execute();
  const payments: PaymentRecord[] = [];
  for await (const payment of listPayments(db, { jobId })) payments.push(payment);
  const counting = payments.find(({ state }) => state !== "expired");
  const terms = frozen === undefined ? null : z.array(Requirements).parse(JSON.parse(frozen.accepts));
  return {
    jobId,
    payment: paymentOf(counting?.state, terms !== null || payments.length > 0),
    keyId: job.key_id,
    createdAt: job.created_at,
    expiresAt: job.expires_at,
    versions,
    terms,
    payments,
  };
}

function paymentOf(state: PaymentState | undefined, isSold: boolean): SoldReports["payment"] {
  if (state === "settled" || state === "settling") return state;
  return isSold ? "required" : "free";
}
