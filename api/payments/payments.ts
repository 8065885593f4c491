/**
 * Read this first: a purchase from the 402 to the receipt, charged exactly once. In the order of the way:
 *
 *     quote.ts         what is sold, under which terms; tariff.ts: for how much
 *     challenge.ts     402, 409, 503; refusals.ts says why
 *     payload.ts       what the buyer sent, for the terms of requirements.ts; authorization.ts: what its payer signed
 *     sell.ts          the steps of every purchase
 *     sellJob.ts       what is sold of a job, one look-up of its terms and its payment a request
 *     sellBody.ts      what is sold of a body; bodyPurchases.ts: what its payer bought a moment ago
 *     ledger.ts        what is known of terms and payments; transitions.ts: how that changes
 *     signature.ts     whose it is: nobody's word is taken for that
 *     charge.ts        would it go through (facilitator.ts, chainReader.ts)? Then written down, before any money moves
 *     settle.ts        settled, expired, or not known yet; reconciler.ts for what was left open
 *     receipt.ts       who paid what, by which transaction; signed: receipts/issue.ts
 *     signIn/          who paid comes back with a signature (signIns.ts)
 *
 * The report is computed and stored before the payment is settled, and released after. `quote.ts` says why a
 * payment cannot buy anything but what it was made for.
 */
import type { Database } from "../../database/open.ts";
import type { Problem } from "../http/problems.ts";
import { type PaymentDeps, secondsOf } from "./paymentDeps.ts";
import { paymentTermsOf, quoteOfJob } from "./quote.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import type { ReceiptIssuer } from "./receipts/issue.ts";
import { type Reconciler, reconcile, startReconciler } from "./reconciler.ts";
import type { StoredPayment } from "./rows.ts";
import {
  type BodySale,
  type Bought,
  type Compute,
  challengeBody,
  challengeProbe,
  purchaseBody,
} from "./sellBody.ts";
import { admit, type Entitlement, entitlementOf } from "./sellJob.ts";
import type { SignIns } from "./signIn/signIns.ts";
import { type Sized, sizeOf } from "./tariff.ts";
import { insertPaymentTerms, markReleased } from "./transitions.ts";

/** What of an intent its price depends on. */
type Asked = Sized & { readonly policyId: string };

/**
 * The paid phase, opened; each function is described where it is. `given` is what a buyer sent as a payment: the text
 * of the header PAYMENT-SIGNATURE, or its decoded JSON; undefined: nothing. Every function throws DatabaseUnavailable
 * when the database is away.
 */
export interface Payments {
  /** Freezes the terms of a new job; in the transaction that stores it. */
  freeze(trx: Database, job: { id: string; createdAt: number; intent: Asked }): Promise<void>;
  entitlementOf(job: { id: string }): Promise<Entitlement>;
  admit(job: { id: string; expiresAt: number }, given: unknown): Promise<Receipt | null>;
  challengeBody(sale: BodySale): Promise<Problem>;
  /** @param trade null: of no size that is known */
  challengeProbe(policyId: string, trade?: Sized | null): Problem;
  purchaseBody(sale: BodySale, given: unknown, compute: Compute): Promise<Bought>;
  /** Who paid comes back with a signature, see `signIn/signIns.ts`. */
  readonly signIns: SignIns;
  /** The receipt of a settled payment. */
  receiptOf(payment: StoredPayment): Receipt;
  /** By which key receipts are signed; null: they are not. */
  readonly receipts: Pick<ReceiptIssuer, "document"> | null;
  /** To be called when an answer with a job's report was sent whole. Never throws. */
  released(jobId: string): Promise<void>;
  /** One round of the reconciler over what is open, see `reconciler.ts`. */
  reconcile(): Promise<void>;
  /** Starts the reconciler, which one process runs. @param db what it writes to */
  startReconciling(db: Database): Reconciler;
}

/** @param pollMs how often the reconciler looks for what is due, milliseconds */
export function createPayments(deps: PaymentDeps, pollMs: number): Payments {
  return {
    freeze: (trx, { id, createdAt, intent }) => {
      const priced = { policyId: intent.policyId, size: sizeOf(deps, intent) };
      return insertPaymentTerms(trx, id, paymentTermsOf(deps.offers, priced, quoteOfJob(id)), createdAt);
    },
    entitlementOf: (job) => entitlementOf(deps, job),
    admit: (job, given) => admit(deps, job, given),
    challengeBody: (sale) => challengeBody(deps, sale),
    challengeProbe: (policyId, trade = null) => challengeProbe(deps, policyId, trade),
    purchaseBody: (sale, given, compute) => purchaseBody(deps, sale, given, compute),
    signIns: deps.signIns,
    receiptOf: (payment) => receiptOf(deps, payment),
    receipts: deps.receipts,
    released: (jobId) =>
      markReleased(deps.db, jobId, secondsOf(deps)).catch((error: unknown) =>
        deps.log.warn({ err: error, job: jobId }, "a delivery could not be recorded"),
      ),
    reconcile: () => reconcile(deps, true),
    startReconciling: (db) => startReconciler({ ...deps, db }, pollMs),
  };
}
