/**
 * One purchase, of a job's reports (`jobPurchase.ts`) or of a body's (`bodyPurchase.ts`): known before, inspected, bought
 * before by another payment, or written down and charged.
 */
import { canonicalHash } from "../../attestor/values/canonical.ts";
import type { Database } from "../../database/open.ts";
import type { Offer } from "../settings/paymentOptions.ts";
import type { PaymentChain } from "./chain.ts";
import { FacilitatorFault } from "./facilitator.ts";
import { COVERED, findPayment, insertIntent, paymentOfJob } from "./ledger.ts";
import { assertUsable, authorizationOf, keyOf, methodOfTerms, type Payment } from "./payload.ts";
import { PaymentRefused, type Refusal } from "./refusals.ts";
import type { Requirements } from "./requirements.ts";
import type { NewPayment, StoredPayment } from "./rows.ts";
import { attemptOf, type Settlement, settle } from "./settle.ts";
import { type Payer, signedIn } from "./signature.ts";
import { acceptedTerms, notVerifiable, type Product, paymentInProgress, paymentRequired } from "./terms.ts";
import { PERMIT2 } from "./typedData.ts";

/** What reports are sold with. */
export interface Seller extends Settlement {
  readonly offers: readonly Offer[];
  readonly random: (bytes: number) => Uint8Array;
  /** Where buyers reach the service; never taken from a request. */
  readonly publicUrl: () => string;
}

/** Unix seconds. */
export const secondsOf = ({ now }: Pick<Seller, "now">): number => Math.floor(now() / 1000);

/** What a payment buys. */
export interface Goods {
  /** Stores what is bought and names its job; runs in the transaction of the payment. */
  bind(trx: Database, inspected: Inspected): Promise<string>;
  /** Told once both are stored, before any money moves; not where the payment was stored before. */
  onStored?(): void;
}

/** A payment that came, and what it says it is for. */
export interface Order {
  readonly payment: Payment;
  readonly product: Product;
  /** What it must have been made for; null: a job that is made with it. */
  readonly jobId: string | null;
  /** This very payment as the ledger had it when the request came, in any state. */
  readonly earlierPayment: StoredPayment | null;
  /**
   * Begins to make what is sold, while facilitator and chain are asked about the payment.
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

/** @throws PaymentRefused, FacilitatorFault, UpstreamUnavailable; Problem as of `settle` */
export async function purchase(seller: Seller, order: Order): Promise<Sold> {
  const { db } = seller;
  const { payment, product, earlierPayment } = order;
  if (earlierPayment !== null) return sameAgain(seller, order, earlierPayment);
  const terms = acceptedTerms(product, payment);
  const begun = order.begin();
  begun.catch(() => {});
  const inspected = await inspect(seller, payment, terms).catch((error: unknown) => ({ error }));
  if ("error" in inspected || inspected.refusal !== null) {
    // A copy of it may have been charged meanwhile: its nonce is used then.
    const copy = await findPayment(db, keyOf(payment));
    if (copy !== null) return sameAgain(seller, order, copy);
    if ("error" in inspected) throw inspected.error;
  }
  const earlier = await order.boughtBefore(inspected);
  if (earlier !== null) return { paid: earlier, replayed: true };
  if (inspected.refusal !== null) throw new PaymentRefused(inspected.refusal);

  const { bind, onStored } = await begun;
  const intent = newPaymentOf(seller, inspected);
  // Its attempt begins with it: this call settles it, and one statement less stands before the money.
  const written = await insertIntent(db, intent, attemptOf(seller), (trx) => bind(trx, inspected));
  if (written !== null) {
    onStored?.();
    return { paid: await settle(seller, written, true), replayed: false };
  }
  // A copy of it, or another payment for the same, was faster.
  const copy = await findPayment(db, keyOf(payment));
  if (copy !== null) return sameAgain(seller, order, copy);
  const faster = await order.boughtBefore(inspected);
  if (faster === null) throw paymentInProgress();
  return { paid: faster, replayed: true };
}

/**
 * What a payment that is in the ledger has bought: by itself, or by the one that was made in its place. The terms are
 * those of then: a price that was changed since takes nothing from who has paid.
 * @throws PaymentRefused `other_purchase`, `not_offered`; `already_used` for another payment with the same nonce
 */
async function sameAgain(
  seller: Seller,
  { jobId, product, payment }: Order,
  stored: StoredPayment,
): Promise<Sold> {
  if (jobId !== null && stored.jobId !== jobId) throw new PaymentRefused("other_purchase");
  acceptedTerms({ ...product, accepts: [stored.terms] }, payment);
  if (canonicalHash(payment.payload) !== canonicalHash(stored.payment.payload))
    throw new PaymentRefused("already_used");
  const other = stored.fault === COVERED ? await paymentOfJob(seller.db, stored.jobId) : null;
  return { paid: await settle(seller, other ?? stored), replayed: other !== null };
}

/** A payment that its payer has signed, and that the chain has nothing against. */
export type Inspected = Awaited<ReturnType<typeof inspect>>;

/**
 * Finds out who has signed a payment, and asks facilitator and chain whether it would go through. Writes nothing. The
 * signature is verified here, since it gives access to the payer's purchases.
 * @throws PaymentRefused, FacilitatorFault, UpstreamUnavailable
 */
async function inspect(seller: Seller, payment: Payment, terms: Requirements) {
  const authorization = authorizationOf(payment);
  assertUsable(authorization, terms, seller.now());
  const { payer: address, nonce } = authorization;
  const { network, asset } = terms;
  const chain = seller.chainOf(network);
  if (chain === null) throw new PaymentRefused("not_offered");
  const signedBy = await chain.signerKindOf(signedIn(payment, terms));
  if (signedBy === null) throw new PaymentRefused("wrong_signature");
  const [refused, unusedAtBlock] = await Promise.all([
    seller.facilitator.verify(payment, terms),
    chain.unusedAt(asset, address, nonce),
  ]);
  // Used before we knew of it: anybody who reads the chain could have sent it.
  if (unusedAtBlock === null) throw new PaymentRefused("already_used");
  const payer: Payer = { address, network, signedBy };
  /** Why the facilitator does not take it; null: it would go through. */
  const refusal = refused === "refused" ? await whyRefused(chain, terms, address) : refused;
  return { payment, terms, payer, refusal, unusedAtBlock };
}

/** A facilitator that refuses may not say why; this finds what a buyer can fix. */
async function whyRefused(chain: PaymentChain, terms: Requirements, payer: string): Promise<Refusal> {
  const { asset } = terms;
  const price = BigInt(terms.amount);
  if ((await chain.balanceOf(asset, payer)) < price) return "insufficient_funds";
  if (methodOfTerms(terms) !== "permit2") return "refused";
  return (await chain.allowanceOf(asset, payer, PERMIT2)) < price ? "allowance_required" : "refused";
}

/** As it is written into the ledger. */
export function newPaymentOf({ now, facilitatorTimeoutMs }: Seller, inspected: Inspected): NewPayment {
  const { payment, terms, unusedAtBlock } = inspected;
  const createdAt = Math.floor(now() / 1000);
  // The request that pays looks itself; the reconciler comes when it must be gone.
  const nextLookAt = now() + 2 * facilitatorTimeoutMs;
  return { payment, terms, unusedAtBlock, createdAt, nextLookAt };
}

/** Runs a purchase: refusals become the 402 of what is sold, and outages of the facilitator a 503. */
export async function withProblems<T>(seller: Seller, product: Product, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PaymentRefused) throw paymentRequired(seller.publicUrl(), product, error.refusal);
    if (error instanceof FacilitatorFault) {
      seller.log.warn({ fault: error.fault }, "the facilitator could not verify a payment");
      throw notVerifiable();
    }
    throw error;
  }
}
