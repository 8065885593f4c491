/** What is sold at POST /a2mcp/verify, by the way of `sell.ts`: computed beside the questions, and bought once a moment. */
import type { Database } from "../../database/open.ts";
import type { Problem } from "../http/problems.ts";
import { keyOf } from "./authorization.ts";
import { claimPurchase, findPurchase } from "./bodyPurchases.ts";
import { paymentInProgress, paymentRequired } from "./challenge.ts";
import { cover, type Inspected, settleShared } from "./charge.ts";
import { paymentIdentifierOf } from "./identifier.ts";
import { findPayment, isBodySettling } from "./ledger.ts";
import { readPayment } from "./payload.ts";
import {
  BODY_TOOLS,
  bodyQuoteOf,
  PROBE,
  paymentTermsOf,
  quoteOfBody,
  type Sale,
  VERIFY_PATH,
} from "./quote.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import type { StoredPayment } from "./rows.ts";
import { type PaymentDeps, purchase, secondsOf, sell } from "./sell.ts";
import { insertPaymentTerms } from "./transitions.ts";

/** What is asked for at POST /a2mcp/verify. */
export interface BodySale {
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

const QUOTE_BYTES = 16;

/**
 * The 402 of a body, or the 409 while its owner's purchase of the same is being settled. Others who pay for it and let
 * the payment hang must not keep the owner from buying; they themselves are not charged twice (`boughtBefore`).
 */
export async function challengeBody(deps: PaymentDeps, asked: BodySale): Promise<Problem> {
  if (await isBodySettling(deps.db, asked.intentHash, asked.ownerAddress)) return paymentInProgress();
  return paymentRequired(deps, newSale(deps, asked));
}

/** The 402 of a request that buys nothing yet. */
export const challengeProbe = (deps: PaymentDeps, policyId: string): Problem =>
  paymentRequired(deps, saleOfBody(deps, policyId, PROBE));

/**
 * Sells a report that is computed now. If this very payment, or another one of the same payer for the same body a moment
 * ago, has bought one, returns that.
 * @param given as of `Payments`
 * @param compute not called where this very payment has bought before. It runs while facilitator and chain are asked
 *   about the payment, so it must store nothing
 * @throws as `admit`; Problem `idempotency_conflict`; and the errors of `compute`: nothing is charged then
 */
export function purchaseBody(
  deps: PaymentDeps,
  asked: BodySale,
  given: unknown,
  compute: Compute,
): Promise<Bought> {
  return purchase(deps, newSale(deps, asked), async () => {
    const payment = readPayment(given);
    const quote = bodyQuoteOf(payment, asked.intentHash);
    const proof = { quote, signature: payment.payload.signature };
    const bought = { intentHash: asked.intentHash, identifier: paymentIdentifierOf(payment) };
    let boundId: string | undefined;
    const { paid, replayed } = await sell(deps, {
      payment,
      sale: saleOfBody(deps, asked.policyId, quote),
      jobId: null,
      known: await findPayment(deps.db, keyOf(payment)),
      async begin() {
        const { store, onStored } = await compute();
        return {
          onStored,
          async bind(trx, { terms, payer }) {
            const jobId = await store(trx, proof);
            // A job without terms is free; should this payment come to nothing, its job must not be.
            await insertPaymentTerms(trx, jobId, [terms], secondsOf(deps));
            await claimPurchase(trx, { payer, ...bought }, jobId, secondsOf(deps), terms.maxTimeoutSeconds);
            boundId = jobId;
            return jobId;
          },
        };
      },
      boughtBefore: (inspected) => boughtBefore(deps, inspected, bought),
    });
    const fresh = paid.jobId === boundId;
    return { jobId: paid.jobId, receipt: receiptOf(paid), replayed, fresh, proof };
  });
}

function saleOfBody(deps: PaymentDeps, policyId: string, quote: string): Sale {
  return {
    path: VERIFY_PATH,
    tools: BODY_TOOLS,
    description: "One verification report, with all later versions of its job",
    accepts: paymentTermsOf(deps.offers, policyId, quote),
  };
}

const newSale = (deps: PaymentDeps, asked: BodySale): Sale =>
  saleOfBody(deps, asked.policyId, quoteOfBody(asked.intentHash, deps.random(QUOTE_BYTES)));

/** What the payer, who is proven by now, has bought of this a moment ago. */
async function boughtBefore(
  deps: PaymentDeps,
  inspected: Inspected,
  bought: { readonly intentHash: string; readonly identifier: string | null },
): Promise<StoredPayment | null> {
  const before = await findPurchase(deps.db, { payer: inspected.payer, ...bought }, secondsOf(deps));
  if (before === null) return null;
  const paid = await settleShared(deps, before);
  if (paid.state !== "settled") return null;
  // Should this payment come again, it stands for the other one.
  await cover(deps, inspected, paid.jobId);
  return paid;
}
