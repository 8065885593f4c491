/**
 * Read this first: a purchase from the 402 to the receipt, charged exactly once.
 *
 *     what is sold, under which terms     quote.ts, options.ts
 *     402, 409, 503 and the receipt       challenge.ts, refusals.ts
 *     what the buyer sent                 payload.ts
 *     would it go through?                facilitator.ts; is its nonce unused?  token.ts
 *     the intent, before any money moves  store.ts
 *     settled, expired, or not known yet  settle.ts, and reconciler.ts for what was left open
 *
 * The report is computed and stored before the payment is settled, and released after. `quote.ts` says why a
 * payment cannot buy anything but what it was made for.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalHash } from "../../attestor/canonical.ts";
import type { Database } from "../../database/open.ts";
import { Problem } from "../problems.ts";
import {
  createChallenger,
  notVerifiable,
  outcomeUnknown,
  paymentInProgress,
  type Receipt,
} from "./challenge.ts";
import { type Facilitator, FacilitatorFault } from "./facilitator.ts";
import type { Offer } from "./options.ts";
import { type Payment, type Requirements, readPayment } from "./payload.ts";
import {
  acceptedTerms,
  bodyQuoteOf,
  quoteOfBody,
  quoteOfJob,
  reportPath,
  type Sale,
  termsOf,
  VERIFY_PATH,
} from "./quote.ts";
import { startReconciler } from "./reconciler.ts";
import { PaymentRefused } from "./refusals.ts";
import { advance, type SettleDeps } from "./settle.ts";
import {
  COVERED,
  findPayment,
  findQuote,
  insertCovered,
  insertIntent,
  insertQuote,
  isBodySettling,
  markReleased,
  type NewPayment,
  type PaymentKey,
  paymentOfJob,
  type StoredPayment,
  unreleasedPurchase,
} from "./store.ts";
import type { TokenReader } from "./token.ts";
import { assertUsable } from "./window.ts";

export type { Receipt } from "./challenge.ts";

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
  /** The 402 of a body, or the 409 while a purchase of the same is being settled. */
  challengeBody(sale: BodySale): Promise<Problem>;
  /** The 402 of a request that names no trade yet. */
  challengeProbe(policyId: string): Problem;
  /**
   * Sells a report that is computed now, or hands out the one that this very payment has bought before.
   * @param compute makes job and report; what it returns stores both and names the job. Not called for a
   *   payment that is known already
   * @throws as `admit`, and whatever `compute` throws: nothing is charged then
   */
  purchaseBody(
    sale: BodySale,
    given: unknown,
    compute: () => Promise<(trx: Database) => Promise<string>>,
  ): Promise<{ jobId: string; receipt: Receipt }>;
  /** To be called when an answer with a job's report was sent whole. */
  released(jobId: string): Promise<void>;
  /** One round of the reconciler over everything that is open. */
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
  readonly pollMs: number;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

/** How long a purchase whose report nobody got answers for another payment of the same payer for the same body. */
const UNRELEASED_SECONDS = 600;
/** How long one request waits for a transfer to be deep enough. */
const WAIT_STEPS = 8;
const WAIT_STEP_MS = 1_000;
const QUOTE_BYTES = 16;

export function createPayments(deps: PaymentsDeps): Payments {
  const { db, offers, clock, log } = deps;
  const seconds = () => Math.floor(clock() / 1000);
  const challenger = createChallenger(deps);
  /** Purchases that this process is making, so that copies of a request share one attempt. */
  const underWay = new Map<string, Promise<StoredPayment>>();

  const settling: SettleDeps = {
    db,
    facilitator: deps.facilitator,
    facilitatorTimeoutMs: deps.facilitatorTimeoutMs,
    readerOf: deps.readerOf,
    clock,
    onChange: ({ jobId, network, asset, amount, attempts }, state) =>
      log.info({ job: jobId, state, network, asset, amount, attempts }, "payment"),
    onFault: ({ jobId }, fault) => log.warn({ job: jobId, fault }, "a settlement has no outcome yet"),
  };
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

  function saleOfBody({ policyId }: BodySale, quote: string): Sale {
    return {
      path: VERIFY_PATH,
      description: "One verification report, with all later versions of its job",
      accepts: termsOf(offers, policyId, quote),
    };
  }

  /** The same payment again, whatever has become of it. */
  function assertSame(sale: Sale, payment: Payment, known: StoredPayment): void {
    acceptedTerms({ ...sale, accepts: [known.terms] }, payment);
    if (canonicalHash(payment.payload) !== canonicalHash(known.payment.payload))
      throw new PaymentRefused("already_used");
  }

  /** Asks facilitator and chain whether a payment would go through; nothing has been written so far. */
  async function inspect(payment: Payment, terms: Requirements): Promise<number> {
    const { authorization } = payment.payload;
    assertUsable(authorization, terms, clock());
    const reader = deps.readerOf(terms.network);
    if (reader === null) throw new PaymentRefused("not_offered");
    const [refusal, unusedAt] = await Promise.all([
      deps.facilitator.verify(payment, terms),
      reader.unusedAt(terms.asset, authorization.from, authorization.nonce),
    ]);
    if (unusedAt === null) throw new PaymentRefused("already_used");
    if (
      refusal === "refused" &&
      (await reader.balanceOf(terms.asset, authorization.from)) < BigInt(terms.amount)
    )
      throw new PaymentRefused("insufficient_funds");
    if (refusal !== null) throw new PaymentRefused(refusal);
    return unusedAt;
  }

  function intentOf(payment: Payment, terms: Requirements, unusedAtBlock: number): NewPayment {
    return {
      ...keyOf(payment),
      amount: terms.amount,
      payTo: terms.payTo,
      validBefore: Number(payment.payload.authorization.validBefore),
      payment,
      terms,
      unusedAtBlock,
      createdAt: seconds(),
      // The request that pays looks itself; the reconciler comes when it must be gone.
      nextLookAt: clock() + 2 * deps.facilitatorTimeoutMs,
    };
  }

  /** @returns the payment with its outcome, or the one that was there first */
  async function pay(
    payment: Payment,
    terms: Requirements,
    unusedAtBlock: number,
    bind: (trx: Database) => Promise<string>,
  ): Promise<StoredPayment | null> {
    const isFirst = await insertIntent(db, intentOf(payment, terms, unusedAtBlock), bind);
    const stored = await findPayment(db, keyOf(payment));
    if (stored === null) return null;
    return together(stored, isFirst);
  }

  /** The payment that was made for what this one was sent for, where another had been made a moment before. */
  async function behind(payment: StoredPayment): Promise<StoredPayment> {
    if (payment.fault !== COVERED) return payment;
    return (await paymentOfJob(db, payment.jobId)) ?? payment;
  }

  /** Brings a payment on. Copies of a request wait for the one attempt. */
  function together(payment: StoredPayment, fresh = false): Promise<StoredPayment> {
    const name = canonicalHash([payment.network, payment.asset, payment.payer, payment.nonce]);
    const running = underWay.get(name);
    if (running) return running;
    const attempt = conclude(payment, fresh).finally(() => underWay.delete(name));
    underWay.set(name, attempt);
    return attempt;
  }

  async function conclude(payment: StoredPayment, fresh: boolean): Promise<StoredPayment> {
    let outcome = await advance(settling, payment, fresh);
    for (let step = 0; outcome === "waiting" && step < WAIT_STEPS; step++) {
      await sleep(WAIT_STEP_MS);
      outcome = await advance(settling, (await findPayment(db, payment)) ?? payment);
    }
    if (outcome === "waiting") throw paymentInProgress();
    if (outcome === "unknown") throw outcomeUnknown();
    return (await findPayment(db, payment)) ?? payment;
  }

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

  async function purchaseJob(job: { id: string }, sale: Sale, given: unknown): Promise<Receipt> {
    const payment = readPayment(given);
    const known = await findPayment(db, keyOf(payment));
    if (known !== null) {
      if (known.jobId !== job.id) throw new PaymentRefused("other_purchase");
      assertSame(sale, payment, known);
      return receiptOf(await together(known));
    }
    const terms = acceptedTerms(sale, payment);
    if ((await paymentOfJob(db, job.id)) !== null) throw paymentInProgress();
    const unusedAt = await inspect(payment, terms);
    const paid = await pay(payment, terms, unusedAt, async () => job.id);
    // Another payment for the job came in between, or this one for another job.
    if (paid === null) throw paymentInProgress();
    if (paid.jobId !== job.id) throw new PaymentRefused("other_purchase");
    return receiptOf(paid);
  }

  async function entitlementOf(job: { id: string }): Promise<Entitlement> {
    const sale = await saleOfJob(job);
    const payment = await paymentOfJob(db, job.id);
    if (payment?.state === "settled") return { granted: true, reason: "paid", receipt: receiptOf(payment) };
    if (sale === null && payment === null) return { granted: true, reason: "free" };
    return {
      granted: false,
      state: payment === null ? "required" : "settling",
      accepts: sale?.accepts ?? (payment === null ? [] : [payment.terms]),
    };
  }

  return {
    quoteFor: async (job) => (await saleOfJob(job))?.accepts ?? null,

    freeze: (trx, { id, createdAt, policyId }) =>
      insertQuote(trx, id, termsOf(offers, policyId, quoteOfJob(id)), createdAt),

    entitlementOf,

    async admit(job, given) {
      const entitlement = await entitlementOf(job);
      if (entitlement.granted) return entitlement.reason === "paid" ? entitlement.receipt : null;
      const sale = (await saleOfJob(job)) ?? { path: reportPath(job.id), description: "", accepts: [] };
      if (entitlement.state === "required" && seconds() >= job.expiresAt)
        throw new Problem("job_expired", "The job expired before it was paid for; make a new one.");
      if (given === undefined)
        throw entitlement.state === "settling" ? paymentInProgress() : challenger.paymentRequired(sale);
      return sell(sale, () => purchaseJob(job, sale, given));
    },

    async challengeBody(sale) {
      if (await isBodySettling(db, sale.intentHash)) return paymentInProgress();
      const quote = quoteOfBody(sale.intentHash, deps.random(QUOTE_BYTES));
      return challenger.paymentRequired(saleOfBody(sale, quote));
    },

    challengeProbe: (policyId) =>
      challenger.paymentRequired(
        saleOfBody({ policyId, intentHash: "" }, "probe: send the trade by POST first"),
      ),

    async purchaseBody(asked, given, compute) {
      const fresh = () => saleOfBody(asked, quoteOfBody(asked.intentHash, deps.random(QUOTE_BYTES)));
      return sell(fresh(), async () => {
        const payment = readPayment(given);
        const quote = bodyQuoteOf(payment, asked.intentHash);
        if (quote === null) throw new PaymentRefused(hasQuote(payment) ? "other_purchase" : "not_offered");
        const sale = saleOfBody(asked, quote);
        const known = await findPayment(db, keyOf(payment));
        if (known !== null) {
          assertSame(sale, payment, known);
          return purchased(await together(await behind(known)));
        }
        const terms = acceptedTerms(sale, payment);
        const bind = await compute();
        const unusedAt = await inspect(payment, terms);
        // The payer is proven now. Who has paid for this a moment ago and got no answer does not pay again.
        const { from } = payment.payload.authorization;
        const before = await unreleasedPurchase(db, from, asked.intentHash, seconds() - UNRELEASED_SECONDS);
        if (before !== null) {
          const paid = await together(before);
          // This payment is not needed. Should it come again, it stands for the other one.
          await insertCovered(db, intentOf(payment, terms, unusedAt), before.jobId);
          return purchased(paid);
        }
        const paid = await pay(payment, terms, unusedAt, bind);
        if (paid === null) throw paymentInProgress();
        assertSame(sale, payment, paid);
        return purchased(paid);
      });
    },

    released: (jobId) => markReleased(db, jobId, seconds()),
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

const purchased = (payment: StoredPayment): { jobId: string; receipt: Receipt } => ({
  receipt: receiptOf(payment),
  jobId: payment.jobId,
});

function keyOf({ accepted, payload }: Payment): PaymentKey {
  return {
    network: String(accepted.network),
    asset: String(accepted.asset),
    payer: payload.authorization.from,
    nonce: payload.authorization.nonce,
  };
}

function hasQuote({ accepted: { extra } }: Payment): boolean {
  return typeof extra === "object" && extra !== null && "quote" in extra;
}
