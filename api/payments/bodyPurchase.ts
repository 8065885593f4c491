/** What is sold at POST /a2mcp/verify: computed while facilitator and chain are asked, and bought once a moment. */
import type { Database } from "../../database/open.ts";
import type { Problem } from "../http/problems.ts";
import { claimPurchase, findPurchase } from "./bodyLedger.ts";
import { findPayment, insertCovered, insertPaymentTerms, isBodySettling } from "./ledger.ts";
import { keyOf, paymentIdentifierOf, readPayment } from "./payload.ts";
import { type Inspected, newPaymentOf, purchase, type Seller, secondsOf, withProblems } from "./purchase.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import type { StoredPayment } from "./rows.ts";
import { settle } from "./settle.ts";
import {
  bodyProduct,
  bodyQuoteOf,
  type Product,
  paymentInProgress,
  paymentRequired,
  QUOTE_BYTES,
  quoteOfBody,
} from "./terms.ts";

/** What is asked for at POST /a2mcp/verify. */
export interface BodyRequest {
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

/** Of a payment; both together give access to the report. The quote is on no chain. */
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

/**
 * The 402 of a body, or the 409 while its owner's purchase of the same is being settled. Others who pay for it and let
 * the payment hang must not keep the owner from buying; they themselves are not charged twice (`boughtBefore`).
 */
export async function challengeBody(seller: Seller, asked: BodyRequest): Promise<Problem> {
  if (await isBodySettling(seller.db, asked.intentHash, asked.ownerAddress)) return paymentInProgress();
  return paymentRequired(seller.publicUrl(), newProduct(seller, asked));
}

/** The 402 of a request that names no trade and buys nothing yet. */
export const challengeProbe = (seller: Seller, policyId: string): Problem =>
  paymentRequired(seller.publicUrl(), bodyProduct(seller.offers, policyId, "probe"));

/**
 * Sells a report that is computed now. If this very payment, or another one of the same payer for the same body a moment
 * ago, has bought one, returns that.
 * @param given what the buyer sent as a payment
 * @param compute not called where this very payment has bought before. It runs while facilitator and chain are asked
 *   about the payment, so it must store nothing
 * @throws as `admit`; Problem `idempotency_conflict`; and the errors of `compute`: nothing is charged then
 */
export function purchaseBody(
  seller: Seller,
  asked: BodyRequest,
  given: unknown,
  compute: Compute,
): Promise<Bought> {
  return withProblems(seller, newProduct(seller, asked), async () => {
    const payment = readPayment(given);
    const quote = bodyQuoteOf(payment, asked.intentHash);
    const proof = { quote, signature: payment.payload.signature };
    const body = { intentHash: asked.intentHash, identifier: paymentIdentifierOf(payment) };
    let boundId: string | undefined;
    const { paid, replayed } = await purchase(seller, {
      payment,
      product: bodyProduct(seller.offers, asked.policyId, quote),
      jobId: null,
      earlierPayment: await findPayment(seller.db, keyOf(payment)),
      async begin() {
        const { store, onStored } = await compute();
        return {
          onStored,
          async bind(trx, { terms, payer }) {
            const jobId = await store(trx, proof);
            // A job without terms is free; should this payment come to nothing, its job must not be.
            await insertPaymentTerms(trx, jobId, [terms], secondsOf(seller));
            await claimPurchase(trx, { payer, ...body }, jobId, secondsOf(seller), terms.maxTimeoutSeconds);
            boundId = jobId;
            return jobId;
          },
        };
      },
      boughtBefore: (inspected) => boughtBefore(seller, inspected, body),
    });
    const fresh = paid.jobId === boundId;
    return { jobId: paid.jobId, receipt: receiptOf(paid), replayed, fresh, proof };
  });
}

const newProduct = ({ offers, random }: Seller, { policyId, intentHash }: BodyRequest): Product =>
  bodyProduct(offers, policyId, quoteOfBody(intentHash, random(QUOTE_BYTES)));

/** What the payer, who is proven by now, has bought of this a moment ago. */
async function boughtBefore(
  seller: Seller,
  inspected: Inspected,
  body: { readonly intentHash: string; readonly identifier: string | null },
): Promise<StoredPayment | null> {
  const before = await findPurchase(seller.db, { payer: inspected.payer, ...body }, secondsOf(seller));
  if (before === null) return null;
  const paid = await settle(seller, before);
  if (paid.state !== "settled") return null;
  // Should this payment come again, it stands for the other one.
  await insertCovered(seller.db, newPaymentOf(seller, inspected), paid.jobId);
  return paid;
}
