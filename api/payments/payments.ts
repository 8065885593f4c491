/**
 * Read this first: a purchase from the 402 to the receipt, charged exactly once. In order:
 *
 * - `quote.ts`: what is sold, under which terms
 * - `challenge.ts`: 402, 409, 503; `refusals.ts` says why
 * - `payload.ts`: what the buyer sent, for the terms of `requirements.ts`; `authorization.ts`: what its payer signed
 * - `sell.ts`: the steps of every purchase
 * - `sellJob.ts`: what is sold of a job, with one lookup of its terms and its payment a request
 * - `sellBody.ts`: what is sold of a body; `bodyPurchases.ts`: what its payer bought a moment ago
 * - `ledger.ts`: what is known of terms and payments; `transitions.ts`: how that changes
 * - `signature.ts`: verifies the signer
 * - `charge.ts`: checks that it would go through (`facilitator.ts`, `chainReader.ts`), and stores it before any money
 *   moves
 * - `settle.ts`: settled, expired, or not known yet; `reconciler.ts` for what was left open
 * - `receipt.ts`: who paid what, by which transaction
 *
 * The report is computed and stored before the payment is settled, and released after. `quote.ts` says why a payment can
 * only buy what it was made for.
 */
import type { Database } from "../../database/open.ts";
import { paymentTermsOf, quoteOfJob } from "./quote.ts";
import { reconcile, startReconciler } from "./reconciler.ts";
import { type PaymentDeps, secondsOf } from "./sell.ts";
import { type BodySale, type Compute, challengeBody, challengeProbe, purchaseBody } from "./sellBody.ts";
import { admit, entitlementOf } from "./sellJob.ts";
import { insertPaymentTerms, markReleased } from "./transitions.ts";

export type Payments = ReturnType<typeof createPayments>;

/**
 * The paid phase, opened; each function is described where it is. `given` is what a buyer sent as a payment: the text
 * of the header PAYMENT-SIGNATURE, or its decoded JSON; undefined: nothing. Every function throws DatabaseUnavailable
 * when the database is away.
 * @param pollMs how often the reconciler looks for what is due, milliseconds
 */
export function createPayments(deps: PaymentDeps, pollMs: number) {
  return {
    /** Freezes the terms of a new job; in the transaction that stores it. */
    freeze(
      trx: Database,
      { id, createdAt, intent }: { id: string; createdAt: number; intent: { readonly policyId: string } },
    ) {
      const terms = paymentTermsOf(deps.offers, intent.policyId, quoteOfJob(id));
      return insertPaymentTerms(trx, id, terms, createdAt);
    },
    entitlementOf: (job: { id: string }) => entitlementOf(deps, job),
    admit: (job: { id: string; expiresAt: number }, given: unknown) => admit(deps, job, given),
    challengeBody: (sale: BodySale) => challengeBody(deps, sale),
    challengeProbe: (policyId: string) => challengeProbe(deps, policyId),
    purchaseBody: (sale: BodySale, given: unknown, compute: Compute) =>
      purchaseBody(deps, sale, given, compute),
    /** To be called when an answer with a job's report was sent whole. Never throws. */
    released: (jobId: string) =>
      markReleased(deps.db, jobId, secondsOf(deps)).catch((error: unknown) =>
        deps.log.warn({ err: error, job: jobId }, "a delivery could not be recorded"),
      ),
    /** One round of the reconciler over what is open, see `reconciler.ts`. */
    reconcile: () => reconcile(deps, true),
    /** Starts the reconciler, which one process runs. @param db what it writes to */
    startReconciling: (db: Database) => startReconciler({ ...deps, db }, pollMs),
  };
}
