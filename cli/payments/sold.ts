/** For one job: whether its reports were paid for, by what, and under which terms. */
import { z } from "zod";
import { Requirements } from "../../api/payments/payload.ts";
import type { Database } from "../../database/open.ts";
import { allPayments, type PaymentState } from "./report.ts";

/** Times in unix seconds. */
export type SoldReports = NonNullable<Awaited<ReturnType<typeof soldReports>>>;

/** @returns null where there is no such job */
export async function soldReports(db: Database, jobId: string) {
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
  const payments = await allPayments(db, { jobId });
  const counting = payments.find(({ state }) => state !== "expired");
  const terms = frozen === undefined ? null : z.array(Requirements).parse(JSON.parse(frozen.accepts));
  return {
    jobId,
    payment: paymentOf(counting?.state, terms !== null || payments.length > 0),
    /** API key that the job belongs to; null: made in one shot. */
    keyId: job.key_id,
    createdAt: job.created_at,
    expiresAt: job.expires_at,
    versions,
    /** The terms frozen on the job; null: it is free. */
    terms,
    /** Every payment for it, those that came to nothing included, newest first. */
    payments,
  };
}

function paymentOf(state: PaymentState | undefined, isSold: boolean) {
  if (state === "settled" || state === "settling") return state;
  return isSold ? "required" : "free"; // Free: made in the free phase.
}
