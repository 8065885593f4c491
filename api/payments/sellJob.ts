/** What is sold of a job, by the way of `sell.ts`: its reports, under the terms that were frozen on it. */
import { Problem } from "../http/problems.ts";
import { keyOf } from "./authorization.ts";
import { paymentInProgress, paymentRequired } from "./challenge.ts";
import { findJobPayments, findPaymentTerms, paymentOfJob } from "./ledger.ts";
import { payloadOf, type Requirements } from "./payload.ts";
import { JOB_TOOLS, reportPath, type Sale } from "./quote.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import { PaymentRefused } from "./refusals.ts";
import type { StoredPayment } from "./rows.ts";
import { type PaymentDeps, purchase, secondsOf, sell } from "./sell.ts";

/** Whether a job's reports may be seen, and what became of its payment. */
export type Entitlement =
  | { readonly granted: true; readonly reason: "free" }
  | { readonly granted: true; readonly reason: "paid"; readonly receipt: Receipt }
  | {
      readonly granted: false;
      readonly state: "required" | "settling";
      readonly accepts: readonly Requirements[];
    };

/** @throws DatabaseUnavailable */
export async function entitlementOf(deps: PaymentDeps, { id }: { id: string }): Promise<Entitlement> {
  const terms = await findPaymentTerms(deps.db, id);
  return entitlementBy(deps, id, terms, await paymentOfJob(deps.db, id));
}

/**
 * Lets through who may see the job's reports, and takes the payment of who brings one.
 * @param given as of `Payments`
 * @returns the receipt; null when the job is free
 * @throws Problem `payment_required` 402, `payment_in_progress` 409, `job_expired` 410, `upstream_unavailable` 503;
 *   UpstreamUnavailable, DatabaseUnavailable
 */
export async function admit(
  deps: PaymentDeps,
  job: { id: string; expiresAt: number },
  given: unknown,
): Promise<Receipt | null> {
  const terms = await findPaymentTerms(deps.db, job.id);
  const payment = given === undefined ? null : payloadOf(given);
  const key = payment === null || payment instanceof PaymentRefused ? null : keyOf(payment);
  const known = await findJobPayments(deps.db, job.id, key);

  const entitlement = entitlementBy(deps, job.id, terms, known.ofJob);
  if (entitlement.granted) return entitlement.reason === "paid" ? entitlement.receipt : null;
  if (entitlement.state === "required" && secondsOf(deps) >= job.expiresAt)
    throw new Problem("job_expired", "The job expired before it was paid for; create a new one.");
  const sale = saleOfJob(deps, job.id, terms ?? []);
  if (payment === null)
    throw entitlement.state === "settling" ? paymentInProgress() : paymentRequired(deps, sale);
  return purchase(deps, sale, async () => {
    if (payment instanceof PaymentRefused) throw payment;
    const { paid } = await sell(deps, {
      payment,
      sale,
      jobId: job.id,
      known: known.presented,
      // A job has one payment: while that is under way no other is taken.
      begin() {
        if (known.ofJob !== null) throw paymentInProgress();
        return Promise.resolve({ bind: async () => job.id });
      },
      async boughtBefore({ refusal }) {
        // The money may be gone for the job's other payment.
        if (refusal !== null && (await paymentOfJob(deps.db, job.id)) !== null) throw paymentInProgress();
        return null;
      },
    });
    return receiptOf(paid);
  });
}

/** A network that is not configured any more cannot be watched, so it cannot be paid on. */
function saleOfJob({ readerOf }: PaymentDeps, jobId: string, terms: readonly Requirements[]): Sale {
  return {
    path: reportPath(jobId),
    tools: JOB_TOOLS,
    description: "Report of one verification job, with all its later versions",
    accepts: terms.filter(({ network }) => readerOf(network) !== null),
  };
}

function entitlementBy(
  deps: PaymentDeps,
  jobId: string,
  terms: readonly Requirements[] | null,
  payment: StoredPayment | null,
): Entitlement {
  if (payment?.state === "settled") return { granted: true, reason: "paid", receipt: receiptOf(payment) };
  if (terms === null)
    return payment === null
      ? { granted: true, reason: "free" }
      : { granted: false, state: "settling", accepts: [payment.terms] };
  const { accepts } = saleOfJob(deps, jobId, terms);
  return { granted: false, state: payment === null ? "required" : "settling", accepts };
}
