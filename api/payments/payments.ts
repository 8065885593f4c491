/**
 * Read this first: a purchase from the 402 to the receipt, charged exactly once.
 *
 *     what is sold, under which terms     quote.ts, options.ts
 *     402, 409, 503 and the receipt       challenge.ts, refusals.ts
 *     what the buyer sent                 payload.ts
 *     would it go through?                facilitator.ts; is its nonce unused?  token.ts
 *     the intent, before any money moves  charge.ts, transitions.ts
 *     what a payer bought a moment ago    sellBody.ts, bodyPurchases.ts, identifier.ts
 *     settled, expired, or not known yet  settle.ts, and reconciler.ts for what was left open
 *
 * The report is computed and stored before the payment is settled, and released after. `quote.ts` says why a
 * payment cannot buy anything but what it was made for.
 */
import type { Database } from "../../database/open.ts";
import { Problem } from "../http/problems.ts";
import type { Offer } from "../settings/paymentOptions.ts";
import type { ProcessIdentity } from "../settings/processIdentity.ts";
import { createChallenger, notVerifiable, paymentInProgress, type Receipt } from "./challenge.ts";
import { assertSame, createTill, type Inspected, type Known } from "./charge.ts";
import { type Facilitator, FacilitatorFault } from "./facilitator.ts";
import { findQuote, isBodySettling, paymentOfJob } from "./ledger.ts";
import { type Requirements, readPayment } from "./payload.ts";
import {
  acceptedTerms,
  PROBE,
  quoteOfBody,
  quoteOfJob,
  reportPath,
  type Sale,
  termsOf,
  VERIFY_PATH,
} from "./quote.ts";
import { startReconciler } from "./reconciler.ts";
import { PaymentRefused } from "./refusals.ts";
import type { StoredPayment } from "./rows.ts";
import { type Bought, type Compute, createBodySeller } from "./sellBody.ts";
import type { SettleDeps } from "./settle.ts";
import type { TokenReader } from "./token.ts";
import { insertQuote, markReleased } from "./transitions.ts";

export type { Receipt } from "./challenge.ts";
export type { Bought } from "./sellBody.ts";

/** Whether a job's reports may be seen, and what became of its payment. */
export type Entitlement =
  | { readonly granted: true; readonly reason: "free" }
  | { readonly granted: true; readonly reason: "paid"; readonly receipt: Receipt }
  | {
      readonly granted: false;
      readonly state: "required" | "settling";
      readonly accepts: readonly Requirements[];
    };

/** What is asked for at POST /a2mcp/verify. */
export interface BodySale {
  /** Hash of the intent. */
  readonly intentHash: string;
  readonly policyId: string;
  /** EIP-55. */
  readonly ownerAddress: string;
}

/**
 * `given` is what a buyer sent as a payment: the text of the header PAYMENT-SIGNATURE, or its decoded JSON;
 * undefined: nothing. Every function throws DatabaseUnavailable when the database is away.
 */
export interface Payments {
  /** The terms of a job; null when it was made free of charge. */
  quoteFor(job: { id: string }): Promise<readonly Requirements[] | null>;
  /** Freezes the terms of a new job; in the transaction that stores it. */
  freeze(trx: Database, job: { id: string; createdAt: number; policyId: string }): Promise<void>;
  entitlementOf(job: { id: string }): Promise<Entitlement>;
  /**
   * Lets through who may see the job's reports, and takes the payment of who brings one.
   * @returns the receipt; null when the job is free
   * @throws Problem `payment_required` 402, `payment_in_progress` 409, `job_expired` 410, `upstream_unavailable` 503;
   *   UpstreamUnavailable
   */
  admit(job: { id: string; expiresAt: number }, given: unknown): Promise<Receipt | null>;
  /**
   * The 402 of a body, or the 409 while its owner's purchase of the same is being settled. Others who pay for it and let
   * the payment hang must not keep the owner from buying; they themselves are not charged twice (`paidBefore`).
   */
  challengeBody(sale: BodySale): Promise<Problem>;
  /** The 402 of a request that names no trade yet. */
  challengeProbe(policyId: string): Problem;
  /**
   * Sells a report that is computed now, or hands out the one that this very payment has bought before, or another one
   * of the same payer for the same body a moment ago.
   * @param compute makes job and report; what it returns stores both and names the job. Not called where the report
   *   was bought before
   * @throws as `admit`; Problem `idempotency_conflict`; and whatever `compute` throws: nothing is charged then
   */
  purchaseBody(sale: BodySale, given: unknown, compute: Compute): Promise<Bought>;
  /** To be called when an answer with a job's report was sent whole. Never throws. */
  released(jobId: string): Promise<void>;
  /** One round of the reconciler over what is open, see `reconciler.ts`. */
  reconcile(): Promise<void>;
  /** Ends the reconciler after what runs at the moment. */
  stop(): Promise<void>;
}

export interface PaymentsDeps {
  readonly db: Database;
  readonly offers: readonly Offer[];
  readonly facilitator: Facilitator;
  readonly facilitatorTimeoutMs: number;
  readonly readerOf: (network: string) => TokenReader | null;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly publicUrl: () => string;
  readonly extensions?: (path: string) => Record<string, unknown> | undefined;
  /** Whose attempts to settle are whose. */
  readonly process: ProcessIdentity;
  /** Told when a payment came to its end, so many seconds after it was written down. */
  readonly onEnd?: (state: "settled" | "expired", seconds: number) => void;
  readonly pollMs: number;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

const QUOTE_BYTES = 16;

export function createPayments(deps: PaymentsDeps): Payments {
  const { db, offers, clock, log } = deps;
  const seconds = () => Math.floor(clock() / 1000);
  const challenger = createChallenger(deps);
  const settling: SettleDeps = {
    ...deps,
    onChange: ({ jobId, network, asset, amount, attempts, createdAt }, state) => {
      log.info({ job: jobId, state, network, asset, amount, attempts }, "payment");
      deps.onEnd?.(state, clock() / 1000 - createdAt);
    },
    onFault: ({ jobId }, fault) => log.warn({ job: jobId, fault }, "a settlement has no outcome yet"),
  };
  const till = createTill(settling);
  const reconciler = startReconciler({ ...settling, pollMs: deps.pollMs, log });

  async function saleOfJob(job: { id: string }): Promise<Sale | null> {
    const accepts = await findQuote(db, job.id);
    if (accepts === null) return null;
    return {
      path: reportPath(job.id),
      description: "Report of one verification job, with all its later versions",
      // A network that is not configured any more cannot be watched, so it cannot be paid on.
      accepts: accepts.filter(({ network }) => deps.readerOf(network) !== null),
    };
  }

  function saleOfBody(policyId: string, quote: string): Sale {
    return {
      path: VERIFY_PATH,
      description: "One verification report, with all later versions of its job",
      accepts: termsOf(offers, policyId, quote),
    };
  }

  const newSaleOf = ({ policyId, intentHash }: BodySale): Sale =>
    saleOfBody(policyId, quoteOfBody(intentHash, deps.random(QUOTE_BYTES)));

  /** Refusals become the 402 of what is sold, and outages of the facilitator a 503. */
  async function sell<T>(sale: Sale, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof PaymentRefused) throw challenger.paymentRequired(sale, error.refusal);
      if (error instanceof FacilitatorFault) {
        log.warn({ fault: error.fault }, "the facilitator could not verify a payment");
        throw notVerifiable();
      }
      throw error;
    }
  }

  async function entitlementOf(job: { id: string }): Promise<Entitlement> {
    const [sale, payment] = [await saleOfJob(job), await paymentOfJob(db, job.id)];
    if (payment?.state === "settled") return { granted: true, reason: "paid", receipt: receiptOf(payment) };
    if (sale === null && payment === null) return { granted: true, reason: "free" };
    return {
      granted: false,
      state: payment === null ? "required" : "settling",
      accepts: sale?.accepts ?? (payment === null ? [] : [payment.terms]),
    };
  }

  async function purchaseJob(job: { id: string }, sale: Sale, given: unknown): Promise<Receipt> {
    const payment = readPayment(given);
    const paidBy = async ({ own, made }: Known): Promise<Receipt> => {
      if (own.jobId !== job.id) throw new PaymentRefused("other_purchase");
      assertSame(sale, payment, own);
      return receiptOf(await till.bringOn(made));
    };
    const known = await till.known(payment);
    if (known !== null) return paidBy(known);
    const terms = acceptedTerms(sale, payment);
    if ((await paymentOfJob(db, job.id)) !== null) throw paymentInProgress();
    let inspected: Inspected;
    try {
      inspected = await till.inspect(payment, terms);
    } catch (error) {
      // A copy of it, or another payment for the job, may have been charged meanwhile.
      const copy = await till.known(payment);
      if (copy !== null) return paidBy(copy);
      if (error instanceof PaymentRefused && (await paymentOfJob(db, job.id)) !== null)
        throw paymentInProgress();
      throw error;
    }
    const paid = await till.take(inspected, async () => job.id);
    // Another payment for the job came in between, or this one for another job.
    if (paid === null) throw paymentInProgress();
    assertSame(sale, payment, paid);
    return receiptOf(paid);
  }

  const sellBody = createBodySeller({ db, till, seconds, saleOf: saleOfBody, receiptOf });

  return {
    quoteFor: async (job) => (await saleOfJob(job))?.accepts ?? null,

    freeze: (trx, { id, createdAt, policyId }) =>
      insertQuote(trx, id, termsOf(offers, policyId, quoteOfJob(id)), createdAt),

    entitlementOf,

    async admit(job, given) {
      const entitlement = await entitlementOf(job);
      if (entitlement.granted) return entitlement.reason === "paid" ? entitlement.receipt : null;
      if (entitlement.state === "required" && seconds() >= job.expiresAt)
        throw new Problem("job_expired", "The job expired before it was paid for; make a new one.");
      const sale = (await saleOfJob(job)) ?? { path: reportPath(job.id), description: "", accepts: [] };
      if (given === undefined)
        throw entitlement.state === "settling" ? paymentInProgress() : challenger.paymentRequired(sale);
      return sell(sale, () => purchaseJob(job, sale, given));
    },

    async challengeBody(asked) {
      if (await isBodySettling(db, asked.intentHash, asked.ownerAddress)) return paymentInProgress();
      return challenger.paymentRequired(newSaleOf(asked));
    },

    challengeProbe: (policyId) => challenger.paymentRequired(saleOfBody(policyId, PROBE)),

    purchaseBody: (asked, given, compute) => sell(newSaleOf(asked), () => sellBody(asked, given, compute)),

    released: (jobId) =>
      markReleased(db, jobId, seconds()).catch((error: unknown) =>
        log.warn({ err: error, job: jobId }, "a delivery could not be noted"),
      ),
    reconcile: () => reconciler.tick(true),
    stop: () => reconciler.stop(),
  };
}

/** @throws PaymentRefused when the payment came to nothing */
function receiptOf({ state, transactionHash, network, payer, amount, fault }: StoredPayment): Receipt {
  if (state !== "settled" || transactionHash === null)
    throw new PaymentRefused(fault === "expired" ? "expired" : "cancelled");
  return { transaction: transactionHash, network, payer, amount };
}
