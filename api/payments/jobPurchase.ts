/** What is sold of a job: its reports, under the terms that were frozen on it. */
import { Problem } from "../http/problems.ts";
import { findJobPayments, findPaymentTerms, paymentOfJob } from "./ledger.ts";
import { keyOf, type Payment, readPayment } from "./payload.ts";
import { purchase, type Seller, secondsOf, withProblems } from "./purchase.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import { PaymentRefused } from "./refusals.ts";
import type { Requirements } from "./requirements.ts";
import type { StoredPayment } from "./rows.ts";
import { jobProduct, paymentInProgress, paymentRequired } from "./terms.ts";

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
export async function entitlementOf(seller: Seller, { id }: { id: string }): Promise<Entitlement> {
  const terms = await findPaymentTerms(seller.db, id);
  return entitlementBy(seller, terms, await paymentOfJob(seller.db, id));
}

/**
 * Lets through who may see the job's reports, and takes the payment of who brings one.
 * @param given what the buyer sent as a payment
 * @returns the receipt; null when the job is free
 * @throws Problem `payment_required` 402, `payment_in_progress` 409, `job_expired` 410, `upstream_unavailable` 503;
 *   UpstreamUnavailable, DatabaseUnavailable
 */
export async function admit(
  seller: Seller,
  job: { id: string; expiresAt: number },
  given: unknown,
): Promise<Receipt | null> {
  const terms = await findPaymentTerms(seller.db, job.id);
  const payment = given === undefined ? null : paymentOrRefusal(given);
  const key = payment === null || payment instanceof PaymentRefused ? null : keyOf(payment);
  const payments = await findJobPayments(seller.db, job.id, key);

  const entitlement = entitlementBy(seller, terms, payments.ofJob);
  if (entitlement.granted) return entitlement.reason === "paid" ? entitlement.receipt : null;
  if (entitlement.state === "required" && secondsOf(seller) >= job.expiresAt)
    throw new Problem("job_expired", "The job expired before it was paid for; create a new one.");
  const product = jobProduct(job.id, payable(seller, terms ?? []));
  if (payment === null && entitlement.state === "settling") throw paymentInProgress();
  if (payment === null) throw paymentRequired(seller.publicUrl(), product);
  return withProblems(seller, product, async () => {
    if (payment instanceof PaymentRefused) throw payment;
    const { paid } = await purchase(seller, {
      payment,
      product,
      jobId: job.id,
      earlierPayment: payments.presented,
      // A job has one payment: while that is under way no other is taken.
      begin() {
        if (payments.ofJob !== null) throw paymentInProgress();
        return Promise.resolve({ bind: async () => job.id });
      },
      async boughtBefore({ refusal }) {
        // The money may be gone for the job's other payment.
        if (refusal !== null && (await paymentOfJob(seller.db, job.id)) !== null) throw paymentInProgress();
        return null;
      },
    });
    return receiptOf(paid);
  });
}

/** Whoever may see the reports need not have sent a payment that can be read. */
function paymentOrRefusal(given: unknown): Payment | PaymentRefused {
  try {
    return readPayment(given);
  } catch (error) {
    if (error instanceof PaymentRefused) return error;
    throw error;
  }
}

/** A network that is not configured any more cannot be watched, so it cannot be paid on. */
const payable = ({ chainOf }: Seller, terms: readonly Requirements[]): Requirements[] =>
  terms.filter(({ network }) => chainOf(network) !== null);

function entitlementBy(
  seller: Seller,
  terms: readonly Requirements[] | null,
  payment: StoredPayment | null,
): Entitlement {
  if (payment?.state === "settled") return { granted: true, reason: "paid", receipt: receiptOf(payment) };
  if (terms !== null) {
    const state = payment === null ? "required" : "settling";
    return { granted: false, state, accepts: payable(seller, terms) };
  }
  if (payment === null) return { granted: true, reason: "free" };
  return { granted: false, state: "settling", accepts: [payment.terms] };
}
