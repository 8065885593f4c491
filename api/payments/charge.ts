/**
 * Takes one payment: looked at, written down, settled. What it pays for is the caller's business; `payments.ts` reads
 * as the steps of a purchase.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalHash } from "../../attestor/canonical.ts";
import type { Database } from "../../database/open.ts";
import { outcomeUnknown, paymentInProgress } from "./challenge.ts";
import { findPayment, paymentOfJob } from "./ledger.ts";
import type { Payment, Requirements } from "./payload.ts";
import { acceptedTerms, type Sale } from "./quote.ts";
import { PaymentRefused } from "./refusals.ts";
import type { NewPayment, PaymentKey, StoredPayment } from "./rows.ts";
import { advance, type SettleDeps } from "./settle.ts";
import { isSignedByPayer } from "./signature.ts";
import { COVERED, insertCovered, insertIntent } from "./transitions.ts";
import { assertUsable } from "./window.ts";

/** How long one request waits for a transfer to be deep enough. */
const WAIT_STEPS = 8;
const WAIT_STEP_MS = 1_000;

/** A payment that facilitator and chain have nothing against. */
export interface Inspected {
  readonly payment: Payment;
  readonly terms: Requirements;
  /** Block at which the nonce was unused. */
  readonly unusedAtBlock: number;
}

/** An authorization that came before. */
export interface Known {
  readonly own: StoredPayment;
  /** The payment that was made for it: its own, or where that was not needed, the one that was made before. */
  readonly made: StoredPayment;
}

export interface Till {
  known(payment: Payment): Promise<Known | null>;
  /**
   * Asks facilitator and chain whether a payment would go through. Writes nothing.
   * @throws PaymentRefused, FacilitatorFault, UpstreamUnavailable
   */
  inspect(payment: Payment, terms: Requirements): Promise<Inspected>;
  /**
   * As `inspect` of a payment whose payer need not have the money: the signature is looked at here.
   * @returns null where the authorization cannot be used, or is not the payer's as far as can be seen without the chain
   */
  prove(payment: Payment, terms: Requirements): Promise<Inspected | null>;
  /**
   * Writes the payment down with what it pays for, and settles it.
   * @param bind stores what is bought and names its job; runs in the transaction of the payment
   * @returns the payment at its end; null when the job, or the same purchase, has another payment already
   * @throws Problem `payment_in_progress`, `upstream_unavailable`; UpstreamUnavailable
   */
  take(inspected: Inspected, bind: (trx: Database) => Promise<string>): Promise<StoredPayment | null>;
  /** Brings a payment to its end. Copies of a request share one attempt. @throws as `take` */
  bringOn(payment: StoredPayment): Promise<StoredPayment>;
  /** Notes that a payment is not needed, because another one has paid for the job. */
  cover(inspected: Inspected, jobId: string): Promise<void>;
}

export function createTill(deps: SettleDeps): Till {
  const { db, clock } = deps;
  /** Purchases that this process is making. */
  const underWay = new Map<string, Promise<StoredPayment>>();

  function bringOn(payment: StoredPayment, fresh = false): Promise<StoredPayment> {
    const name = canonicalHash([payment.network, payment.asset, payment.payer, payment.nonce]);
    const running = underWay.get(name);
    if (running) return running;
    const attempt = conclude(payment, fresh).finally(() => underWay.delete(name));
    underWay.set(name, attempt);
    return attempt;
  }

  async function conclude(payment: StoredPayment, fresh: boolean): Promise<StoredPayment> {
    let outcome = await advance(deps, payment, fresh);
    for (let step = 0; outcome === "waiting" && step < WAIT_STEPS; step++) {
      await sleep(WAIT_STEP_MS);
      outcome = await advance(deps, (await findPayment(db, payment)) ?? payment);
    }
    if (outcome === "waiting") throw paymentInProgress();
    if (outcome === "unknown") throw outcomeUnknown();
    return (await findPayment(db, payment)) ?? payment;
  }

  function rowOf({ payment, terms, unusedAtBlock }: Inspected): NewPayment {
    return {
      ...keyOf(payment),
      amount: terms.amount,
      payTo: terms.payTo,
      validBefore: Number(payment.payload.authorization.validBefore),
      payment,
      terms,
      unusedAtBlock,
      createdAt: Math.floor(clock() / 1000),
      // The request that pays looks itself; the reconciler comes when it must be gone.
      nextLookAt: clock() + 2 * deps.facilitatorTimeoutMs,
    };
  }

  return {
    async known(payment) {
      const own = await findPayment(db, keyOf(payment));
      if (own === null) return null;
      const made = own.fault === COVERED ? await paymentOfJob(db, own.jobId) : own;
      return { own, made: made ?? own };
    },

    async inspect(payment, terms) {
      const { authorization } = payment.payload;
      assertUsable(authorization, terms, clock());
      const reader = deps.readerOf(terms.network);
      if (reader === null) throw new PaymentRefused("not_offered");
      const [refusal, unusedAtBlock] = await Promise.all([
        deps.facilitator.verify(payment, terms),
        reader.unusedAt(terms.asset, authorization.from, authorization.nonce),
      ]);
      // Used before we knew of it: whoever reads the chain could have sent it.
      if (unusedAtBlock === null) throw new PaymentRefused("already_used");
      if (refusal === "refused" && (await isShort(reader, terms, authorization.from)))
        throw new PaymentRefused("insufficient_funds");
      if (refusal !== null) throw new PaymentRefused(refusal);
      return { payment, terms, unusedAtBlock };
    },

    async prove(payment, terms) {
      const { authorization } = payment.payload;
      assertUsable(authorization, terms, clock());
      if (!isSignedByPayer(payment, terms)) return null;
      const unusedAtBlock = await deps
        .readerOf(terms.network)
        ?.unusedAt(terms.asset, authorization.from, authorization.nonce);
      return typeof unusedAtBlock === "number" ? { payment, terms, unusedAtBlock } : null;
    },

    async take(inspected, bind) {
      const isFirst = await insertIntent(db, rowOf(inspected), bind);
      const stored = await findPayment(db, keyOf(inspected.payment));
      return stored === null ? null : bringOn(stored, isFirst);
    },

    bringOn,
    cover: (inspected, jobId) => insertCovered(db, rowOf(inspected), jobId),
  };
}

async function isShort(
  reader: NonNullable<ReturnType<SettleDeps["readerOf"]>>,
  { asset, amount }: Requirements,
  payer: string,
): Promise<boolean> {
  return (await reader.balanceOf(asset, payer)) < BigInt(amount);
}

/**
 * Whether a payment is the one that is stored, and not another with the same nonce, or for another purchase. The
 * terms are those of then: a price that was changed since takes nothing from who has paid.
 * @throws PaymentRefused `other_purchase`, `not_offered`, `already_used`
 */
export function assertSame(sale: Sale, payment: Payment, stored: StoredPayment): void {
  acceptedTerms({ ...sale, accepts: [stored.terms] }, payment);
  if (canonicalHash(payment.payload) !== canonicalHash(stored.payment.payload))
    throw new PaymentRefused("already_used");
}

function keyOf({ accepted, payload }: Payment): PaymentKey {
  return {
    network: String(accepted.network),
    asset: String(accepted.asset),
    payer: payload.authorization.from,
    nonce: payload.authorization.nonce,
  };
}
