/**
 * Read this first: a purchase from the 402 to the receipt, charged exactly once. In order:
 *
 * - `terms.ts`: what is sold, under which terms (`requirements.ts`), and the 402, 409 and 503; `refusals.ts` says why
 * - `payload.ts`: what the buyer sent, and what its payer signed; `signature.ts` verifies the signer
 * - `purchase.ts`: the steps of every purchase; `jobPurchase.ts` sells a job's reports, `bodyPurchase.ts` a body's
 * - `ledger.ts`: what is known of terms and payments, and how that changes; `bodyLedger.ts`: what a payer bought a moment
 *   ago; `rows.ts`: a payment as it is stored
 * - `settle.ts`: settled, expired, or not known yet; `reconciler.ts` for what was left open
 * - `facilitator.ts`: who moves the money; `chain.ts`: whether it moved, by `eip3009.ts` or `permit2.ts`
 * - `receipt.ts`: who paid what, by which transaction
 *
 * The report is computed and stored before the payment is settled, and released after. `terms.ts` says why a payment can
 * only buy what it was made for.
 */
import type { Database } from "../../database/open.ts";
import {
  type BodyRequest,
  type Compute,
  challengeBody,
  challengeProbe,
  purchaseBody,
} from "./bodyPurchase.ts";
import { admit, entitlementOf } from "./jobPurchase.ts";
import { insertPaymentTerms, markReleased } from "./ledger.ts";
import { type Seller, secondsOf } from "./purchase.ts";
import { reconcile, startReconciler } from "./reconciler.ts";
import { paymentTermsOf, quoteOfJob } from "./terms.ts";

export type Payments = ReturnType<typeof createPayments>;

/**
 * The paid phase, opened; each function is described where it is. `given` is what a buyer sent as a payment: the text
 * of the header PAYMENT-SIGNATURE, or its decoded JSON; undefined: nothing. Every function throws DatabaseUnavailable
 * when the database is away.
 * @param pollMs how often the reconciler looks for what is due, milliseconds
 */
export function createPayments(seller: Seller, pollMs: number) {
  return {
    /** Freezes the terms of a new job; in the transaction that stores it. */
    freeze(
      trx: Database,
      { id, createdAt, intent }: { id: string; createdAt: number; intent: { readonly policyId: string } },
    ) {
      const terms = paymentTermsOf(seller.offers, intent.policyId, quoteOfJob(id));
      return insertPaymentTerms(trx, id, terms, createdAt);
    },
    entitlementOf: (job: { id: string }) => entitlementOf(seller, job),
    admit: (job: { id: string; expiresAt: number }, given: unknown) => admit(seller, job, given),
    challengeBody: (asked: BodyRequest) => challengeBody(seller, asked),
    challengeProbe: (policyId: string) => challengeProbe(seller, policyId),
    purchaseBody: (asked: BodyRequest, given: unknown, compute: Compute) =>
      purchaseBody(seller, asked, given, compute),
    /** To be called when an answer with a job's report was sent whole. Never throws. */
    released: (jobId: string) =>
      markReleased(seller.db, jobId, secondsOf(seller)).catch((error: unknown) =>
        seller.log.warn({ err: error, job: jobId }, "a delivery could not be recorded"),
      ),
    /** One round of the reconciler over what is open, see `reconciler.ts`. */
    reconcile: () => reconcile(seller, true),
    /** Starts the reconciler, which one process runs. @param db what it writes to */
    startReconciling: (db: Database) => startReconciler({ ...seller, db }, pollMs),
  };
}
