/** The steps of a purchase at POST /a2mcp/verify: known, inspected, answered from an earlier one, or computed and charged. */
import type { Database } from "../../database/open.ts";
import type { Problem } from "../http/problems.ts";
import { authorizationOf, keyOf } from "./authorization.ts";
import { type BodyPurchase, claimPurchase, findPurchase } from "./bodyPurchases.ts";
import { paymentInProgress, paymentRequired } from "./challenge.ts";
import {
  assertSamePayment,
  charge,
  cover,
  type Inspected,
  inspect,
  proveSigned,
  settleShared,
} from "./charge.ts";
import { paymentIdentifierOf } from "./identifier.ts";
import { findPayment, isBodySettling, paymentOfJob } from "./ledger.ts";
import { type Payment, type Requirements, readPayment } from "./payload.ts";
import { type PaymentDeps, purchase, secondsOf } from "./paymentDeps.ts";
import {
  acceptedTerms,
  BODY_TOOLS,
  bodyQuoteOf,
  PROBE,
  paymentTermsOf,
  quoteOfBody,
  type Sale,
  VERIFY_PATH,
} from "./quote.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import { PaymentRefused } from "./refusals.ts";
import type { StoredPayment } from "./rows.ts";
import { type Sized, sizeOf, tariffOf } from "./tariff.ts";
import { COVERED, insertPaymentTerms } from "./transitions.ts";

/** What is asked for at POST /a2mcp/verify. */
export interface BodySale extends Sized {
  /** Hash of the intent. */
  readonly intentHash: string;
  readonly policyId: string;
  /** EIP-55. */
  readonly ownerAddress: string;
}

/** A report that was paid for. */
export interface Bought {
  readonly jobId: string;
  readonly receipt: Receipt;
  /** It was paid for by another payment, and the one that came now is never settled. */
  readonly replayed: boolean;
  /** What was computed in this very call was stored, and paid for. */
  readonly fresh: boolean;
  /** Of the payment that came now. */
  readonly proof: Proof;
}

/** Of a payment; who knows both may have the report. The quote stands on no chain. */
export interface Proof {
  readonly quote: string;
  readonly signature: string;
}

/** Makes job and report. */
export type Compute = () => Promise<{
  /** Stores both, and what the payment opens, and names the job. */
  store(trx: Database, proof: Proof): Promise<string>;
  /** They are stored now, and the payment is about to be settled: what the answer needs may be got ready meanwhile. */
  onStored(): void;
}>;

const QUOTE_BYTES = 16;

/** Refusals that say nothing about whose signature it is: the money may be gone for the first payment. */
const OF_THE_BALANCE: ReadonlySet<string> = new Set(["insufficient_funds", "allowance_required", "refused"]);

/** A payment, and what it says it is for. */
interface Order {
  readonly payment: Payment;
  readonly sale: Sale;
  readonly buyer: BodyPurchase;
  readonly proof: Proof;
}

/** A payment at its end. */
interface Paid {
  readonly paid: StoredPayment;
  /** It is another one than the payment that came now. */
  readonly replayed: boolean;
  readonly fresh?: boolean;
}

/**
 * The 402 of a body, or the 409 while its owner's purchase of the same is being settled. Others who pay for it and let
 * the payment hang must not keep the owner from buying; they themselves are not charged twice (`boughtBefore`).
 */
export async function challengeBody(deps: PaymentDeps, asked: BodySale): Promise<Problem> {
  if (await isBodySettling(deps.db, asked.intentHash, asked.ownerAddress)) return paymentInProgress();
  return paymentRequired(deps, newSale(deps, asked));
}

/** The 402 of a request that buys nothing yet, with the whole tariff. */
export const challengeProbe = (deps: PaymentDeps, policyId: string, trade: Sized | null): Problem =>
  paymentRequired(deps, saleOfBody(deps, policyId, trade, PROBE), undefined, { tariff: tariffOf(deps) });

/**
 * Sells a report that is computed now, or hands out the one that this very payment has bought before, or another one
 * of the same payer for the same body a moment ago.
 * @param given as of `Payments`
 * @param compute not called where this very payment has bought before. It runs while facilitator and chain are asked
 *   about the payment, so it must store nothing
 * @throws as `admit`; Problem `idempotency_conflict`; and whatever `compute` throws: nothing is charged then
 */
export function purchaseBody(
  deps: PaymentDeps,
  asked: BodySale,
  given: unknown,
  compute: Compute,
): Promise<Bought> {
  return purchase(deps, newSale(deps, asked), async () => {
    const order = orderOf(deps, asked, given);
    const { paid, replayed, fresh = false } = await payFor(deps, order, compute);
    return { jobId: paid.jobId, receipt: receiptOf(deps, paid), replayed, fresh, proof: order.proof };
  });
}

function saleOfBody(deps: PaymentDeps, policyId: string, trade: Sized | null, quote: string): Sale {
  const size = trade === null ? null : sizeOf(deps, trade);
  return {
    path: VERIFY_PATH,
    tools: BODY_TOOLS,
    description: "One verification report, with all later versions of its job",
    accepts: paymentTermsOf(deps.offers, { policyId, size }, quote),
  };
}

const newSale = (deps: PaymentDeps, asked: BodySale): Sale =>
  saleOfBody(deps, asked.policyId, asked, quoteOfBody(asked.intentHash, deps.random(QUOTE_BYTES)));

/** @throws PaymentRefused when it cannot be read, or is for another body */
function orderOf(deps: PaymentDeps, asked: BodySale, given: unknown): Order {
  const { intentHash, policyId } = asked;
  const payment = readPayment(given);
  const quote = bodyQuoteOf(payment, intentHash);
  const identifier = paymentIdentifierOf(payment);
  const buyer = { payer: authorizationOf(payment).payer, intentHash, identifier };
  const proof = { quote, signature: payment.payload.signature };
  return { payment, sale: saleOfBody(deps, policyId, asked, quote), buyer, proof };
}

async function payFor(deps: PaymentDeps, order: Order, compute: Compute): Promise<Paid> {
  const { payment, sale, buyer, proof } = order;
  const before = await bodyPaidBefore(deps, order);
  if (before !== null) return before;
  const terms = acceptedTerms(sale, payment);
  // Beside the questions about the payment. What comes of it counts where the payment is good.
  const computed = compute();
  computed.catch(() => {});
  const verdict = await verdictOn(deps, order, terms);
  if ("paid" in verdict) return verdict;
  const earlier = await boughtBefore(deps, verdict, buyer);
  if (earlier !== null) return { paid: earlier, replayed: true };

  const { store, onStored } = await computed;
  let boundId: string | undefined;
  const bind = async (trx: Database) => {
    const jobId = await store(trx, proof);
    // A job without terms is free; should this payment come to nothing, its job must not be.
    await insertPaymentTerms(trx, jobId, [terms], secondsOf(deps));
    await claimPurchase(trx, buyer, jobId, secondsOf(deps), terms.maxTimeoutSeconds);
    boundId = jobId;
    return jobId;
  };
  const paid = await charge(deps, verdict, bind, onStored);
  if (paid !== null) {
    assertSamePayment(sale, payment, paid);
    return { paid, replayed: false, fresh: paid.jobId === boundId };
  }
  // Another payment for the same was faster.
  const faster = await boughtBefore(deps, verdict, buyer);
  if (faster === null) throw paymentInProgress();
  return { paid: faster, replayed: true };
}

/** What an authorization that came before has bought: itself, or the payment that was made in its place. */
async function bodyPaidBefore(deps: PaymentDeps, { payment, sale }: Order): Promise<Paid | null> {
  const own = await findPayment(deps.db, keyOf(payment));
  if (own === null) return null;
  assertSamePayment(sale, payment, own);
  const other = own.fault === COVERED ? await paymentOfJob(deps.db, own.jobId) : null;
  return { paid: await settleShared(deps, other ?? own), replayed: other !== null };
}

/**
 * What is to be done with a payment that was not known a moment ago. Where it is refused, a copy of it may have been
 * charged meanwhile, or another one of its payer's, which took the last of the money.
 */
async function verdictOn(deps: PaymentDeps, order: Order, terms: Requirements): Promise<Inspected | Paid> {
  try {
    return await inspect(deps, order.payment, terms);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    const copy = await bodyPaidBefore(deps, order);
    if (copy !== null) return copy;
    const ofTheBalance = OF_THE_BALANCE.has(error.refusal);
    const proven = ofTheBalance ? await proveSigned(deps, order.payment, terms) : null;
    const paid = proven === null ? null : await boughtBefore(deps, proven, order.buyer);
    if (paid === null) throw error;
    return { paid, replayed: true };
  }
}

/** What the payer, who is proven by now, has bought of this a moment ago. */
async function boughtBefore(
  deps: PaymentDeps,
  inspected: Inspected,
  buyer: BodyPurchase,
): Promise<StoredPayment | null> {
  const before = await findPurchase(deps.db, buyer, secondsOf(deps));
  if (before === null) return null;
  const paid = await settleShared(deps, before);
  if (paid.state !== "settled") return null;
  // Should this payment come again, it stands for the other one.
  await cover(deps, inspected, paid.jobId);
  return paid;
}
