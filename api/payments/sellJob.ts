/** The steps of a purchase of a job's reports: its terms, the payment that came, what the ledger knows, settled. */
import { Problem } from "../http/problems.ts";
import { keyOf } from "./authorization.ts";
import { paymentInProgress, paymentRequired } from "./challenge.ts";
import { assertSamePayment, charge, type Inspected, inspect, settleShared } from "./charge.ts";
import { findJobPayments, findPaymentTerms, type JobPayments, paymentOfJob } from "./ledger.ts";
import { type Payment, payloadOf, type Requirements } from "./payload.ts";
import { type PaymentDeps, purchase, secondsOf } from "./paymentDeps.ts";
import { acceptedTerms, JOB_TOOLS, reportPath, type Sale } from "./quote.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import { PaymentRefused } from "./refusals.ts";
import type { StoredPayment } from "./rows.ts";
import { COVERED } from "./transitions.ts";

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
    return receiptOf(deps, await paymentFor(deps, job.id, sale, payment, known));
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
  if (payment?.state === "settled")
    return { granted: true, reason: "paid", receipt: receiptOf(deps, payment) };
  if (terms === null)
    return payment === null
      ? { granted: true, reason: "free" }
      : { granted: false, state: "settling", accepts: [payment.terms] };
  const { accepts } = saleOfJob(deps, jobId, terms);
  return { granted: false, state: payment === null ? "required" : "settling", accepts };
}

/** @returns the payment that came, at its end, or the one that was made in its place */
async function paymentFor(
  deps: PaymentDeps,
  jobId: string,
  sale: Sale,
  payment: Payment,
  known: JobPayments,
): Promise<StoredPayment> {
  const before = await jobPaidBefore(deps, jobId, sale, payment, known);
  if (before !== null) return before;
  const terms = acceptedTerms(sale, payment);
  if (known.ofJob !== null) throw paymentInProgress();
  let inspected: Inspected;
  try {
    inspected = await inspect(deps, payment, terms);
  } catch (error) {
    // A copy of it, or another payment for the job, may have been charged meanwhile.
    const meanwhile = await findJobPayments(deps.db, jobId, keyOf(payment));
    const copy = await jobPaidBefore(deps, jobId, sale, payment, meanwhile);
    if (copy !== null) return copy;
    if (error instanceof PaymentRefused && meanwhile.ofJob !== null) throw paymentInProgress();
    throw error;
  }
  const paid = await charge(deps, inspected, async () => jobId);
  // Another payment for the job came in between, or this one for another job.
  if (paid === null) throw paymentInProgress();
  assertSamePayment(sale, payment, paid);
  return paid;
}

/** @throws PaymentRefused `other_purchase` when it was made for another job */
async function jobPaidBefore(
  deps: PaymentDeps,
  jobId: string,
  sale: Sale,
  payment: Payment,
  { ofJob, presented }: JobPayments,
): Promise<StoredPayment | null> {
  if (presented === null) return null;
  if (presented.jobId !== jobId) throw new PaymentRefused("other_purchase");
  assertSamePayment(sale, payment, presented);
  return settleShared(deps, presented.fault === COVERED ? (ofJob ?? presented) : presented);
}
