/**
 * One way of sale, of a job's reports (`sellJob.ts`) and of a body's (`sellBody.ts`): known before, inspected, bought
 * before by another payment, or charged.
 */
import type { Database } from "../../database/open.ts";
import type { Offer } from "../settings/paymentOptions.ts";
import { keyOf } from "./authorization.ts";
import { type ChallengeDeps, notVerifiable, paymentInProgress, paymentRequired } from "./challenge.ts";
import {
  assertSamePayment,
  type ChargeDeps,
  charge,
  type Inspected,
  inspect,
  settleShared,
} from "./charge.ts";
import { FacilitatorFault } from "./facilitator.ts";
import { findPayment, paymentOfJob } from "./ledger.ts";
import type { Payment, Requirements } from "./payload.ts";
import { acceptedTerms, type Sale } from "./quote.ts";
import { PaymentRefused } from "./refusals.ts";
import type { StoredPayment } from "./rows.ts";
import { COVERED } from "./transitions.ts";

/** `offers` and what is sold for them. */
export interface PaymentDeps extends ChargeDeps, ChallengeDeps {
  readonly offers: readonly Offer[];
  readonly random: (bytes: number) => Uint8Array;
}

/** Unix seconds. */
export const secondsOf = ({ clock }: Pick<PaymentDeps, "clock">): number => Math.floor(clock() / 1000);

/** Runs a purchase: refusals become the 402 of what is sold, and outages of the facilitator a 503. */
export async function purchase<T>(deps: PaymentDeps, sale: Sale, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PaymentRefused) throw paymentRequired(deps, sale, error.refusal);
    if (error instanceof FacilitatorFault) {
      deps.log.warn({ fault: error.fault }, "the facilitator could not verify a payment");
      throw notVerifiable();
    }
    throw error;
  }
}

/** What a payment buys. */
export interface Goods {
  /** As of `charge`. */
  bind(trx: Database, inspected: Inspected): Promise<string>;
  /** As of `charge`. */
  onStored?(): void;
}

/** A payment that came, and what it says it is for. */
export interface Order {
  readonly payment: Payment;
  readonly sale: Sale;
  /** What it must have been made for; null: a job that is made with it. */
  readonly jobId: string | null;
  /** This very payment as the ledger had it when the request came, in any state. */
  readonly known: StoredPayment | null;
  /**
   * Begins to make what is sold, beside the questions about the payment. What comes of it counts where that is good.
   * @throws Problem `payment_in_progress` at once where there is nothing to ask
   */
  begin(): Promise<Goods>;
  /**
   * What another payment of the same payer's, who is proven by now, has bought of this; asked for a payment that the
   * facilitator refuses, too.
   */
  boughtBefore(inspected: Inspected): Promise<StoredPayment | null>;
}

/** A payment at its end. */
export interface Sold {
  readonly paid: StoredPayment;
  /** It is another one than the payment that came now. */
  readonly replayed: boolean;
}

/** @throws PaymentRefused, FacilitatorFault, and as `charge` */
export async function sell(deps: PaymentDeps, order: Order): Promise<Sold> {
  const { payment, sale } = order;
  const before = await paidBefore(deps, order, order.known);
  if (before !== null) return before;
  const terms = acceptedTerms(sale, payment);
  const begun = order.begin();
  begun.catch(() => {});
  const verdict = await verdictOn(deps, order, terms);
  if ("paid" in verdict) return verdict;
  const earlier = await order.boughtBefore(verdict);
  if (earlier !== null) return { paid: earlier, replayed: true };
  if (verdict.refusal !== null) throw new PaymentRefused(verdict.refusal);

  const { bind, onStored } = await begun;
  const paid = await charge(deps, verdict, (trx) => bind(trx, verdict), onStored);
  if (paid !== null) {
    assertSamePayment(sale, payment, paid);
    return { paid, replayed: false };
  }
  // Another payment for the same was faster, or this one came for another job.
  const faster = await order.boughtBefore(verdict);
  if (faster === null) throw paymentInProgress();
  return { paid: faster, replayed: true };
}

/**
 * What a payment that came before has bought: by itself, or by the one that was made in its place.
 * @throws PaymentRefused `other_purchase` when it was made for another job
 */
async function paidBefore(
  deps: PaymentDeps,
  { jobId, sale, payment }: Order,
  own: StoredPayment | null,
): Promise<Sold | null> {
  if (own === null) return null;
  if (jobId !== null && own.jobId !== jobId) throw new PaymentRefused("other_purchase");
  assertSamePayment(sale, payment, own);
  const other = own.fault === COVERED ? await paymentOfJob(deps.db, own.jobId) : null;
  return { paid: await settleShared(deps, other ?? own), replayed: other !== null };
}

/**
 * What is to be done with a payment that was not known a moment ago. Where it does not go through, a copy of it may have
 * been charged meanwhile.
 */
async function verdictOn(deps: PaymentDeps, order: Order, terms: Requirements): Promise<Inspected | Sold> {
  const seen = await inspect(deps, order.payment, terms).catch((error: unknown) => ({ error }));
  if ("refusal" in seen && seen.refusal === null) return seen;
  const copy = await paidBefore(deps, order, await findPayment(deps.db, keyOf(order.payment)));
  if (copy !== null) return copy;
  if ("error" in seen) throw seen.error;
  return seen;
}
