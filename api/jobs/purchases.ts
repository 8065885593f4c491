/** What a wallet has bought, as the API shows it to who has signed in with that wallet. */
import type { z } from "zod";
import { Problem } from "../http/problems.ts";
import type { Payments } from "../payments/payments.ts";
import type { BoughtJob } from "../payments/signIn/bought.ts";
import { type JobDeps, seconds } from "./deps.ts";
import { digestOf, newJobToken } from "./ids.ts";
import { withProof } from "./proofs.ts";
import type { BoughtJobView, OpenedPurchase } from "./schemas.ts";
import { addJobToken, findJob, findStoredReport } from "./store.ts";

const iso = (at: number): string => new Date(at * 1_000).toISOString();

export function purchaseView(
  payments: Pick<Payments, "receiptOf">,
  { payment, intent, jobCreatedAt, expiresAt, reportVersion, decision, evidenceHash }: BoughtJob,
): z.infer<typeof BoughtJobView> {
  const { jobId, asset, payTo, settledAt } = payment;
  const receipt = payments.receiptOf(payment);
  return {
    jobId,
    createdAt: iso(jobCreatedAt),
    expiresAt: iso(expiresAt),
    intent,
    reportVersion,
    decision,
    evidenceHash,
    paidAt: settledAt === null ? null : iso(settledAt),
    receipt: { success: true, ...receipt, asset, payTo },
  };
}

/**
 * A new token of a job that its payer has opened; the oldest of many goes for it.
 * @returns null when the job is over, and a token would open nothing
 */
export async function tokenForPayer(deps: JobDeps, jobId: string): Promise<string | null> {
  const job = await findJob(deps.db, jobId, { kind: "jobToken", jobId });
  if (job === null || seconds(deps) >= job.expiresAt) return null;
  const token = newJobToken(deps.random);
  await addJobToken(deps.db, jobId, digestOf(token), deps.clock());
  return token;
}

/** @throws Problem `not_found` for a job whose reports are gone */
export async function openPurchase(deps: JobDeps, jobId: string): Promise<z.infer<typeof OpenedPurchase>> {
  const report = await findStoredReport(deps.db, jobId);
  if (report === null) throw new Problem("not_found", "The job has no report any more.");
  const { execution = null, ...proved } = await withProof(deps, report);
  const jobToken = await tokenForPayer(deps, jobId);
  return { jobId, reportVersion: proved.version, report: proved, execution, jobToken };
}
