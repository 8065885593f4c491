/** The steps of a purchase at POST /a2mcp/verify: known, inspected, answered from an earlier one, or computed and taken. */
import type { Database } from "../../database/open.ts";
import { type BodyPurchase, claimPurchase, findPurchase } from "./bodyPurchases.ts";
import { paymentInProgress, type Receipt } from "./challenge.ts";
import { assertSame, type Inspected, type Known, type Till } from "./charge.ts";
import { paymentIdentifierOf } from "./identifier.ts";
import { type Payment, type Requirements, readPayment } from "./payload.ts";
import { acceptedTerms, bodyQuoteOf, type Sale } from "./quote.ts";
import { PaymentRefused } from "./refusals.ts";
import type { StoredPayment } from "./rows.ts";
import { insertQuote } from "./transitions.ts";

/** A report that was paid for. */
export interface Bought {
  readonly jobId: string;
  readonly receipt: Receipt;
  /** It was paid for by another payment, and the one that came now is never settled. */
  readonly replayed: boolean;
  /** Of the payment that came now; who knows both may have the report. The quote stands on no chain. */
  readonly proof: { readonly quote: string; readonly signature: string };
}

export interface SellBodyDeps {
  readonly db: Database;
  readonly till: Till;
  /** Unix seconds. */
  readonly seconds: () => number;
  readonly saleOf: (policyId: string, quote: string) => Sale;
  /** @throws PaymentRefused when the payment came to nothing */
  readonly receiptOf: (payment: StoredPayment) => Receipt;
}

export type Compute = () => Promise<(trx: Database) => Promise<string>>;

/** Refusals that say nothing about whose signature it is: the money may be gone for the first payment. */
const OF_THE_BALANCE: ReadonlySet<string> = new Set(["insufficient_funds", "refused"]);

/** @returns the function behind `Payments.purchaseBody`, which turns refusals into answers */
export function createBodySeller(deps: SellBodyDeps) {
  const { db, till, seconds } = deps;

  return async (
    asked: { intentHash: string; policyId: string },
    given: unknown,
    compute: Compute,
  ): Promise<Bought> => {
    const payment = readPayment(given);
    const quote = bodyQuoteOf(payment, asked.intentHash);
    const sale = deps.saleOf(asked.policyId, quote);
    const who: BodyPurchase = {
      payer: payment.payload.authorization.from,
      intentHash: asked.intentHash,
      identifier: paymentIdentifierOf(payment),
    };
    const bought = (paid: StoredPayment, replayed: boolean): Bought => ({
      jobId: paid.jobId,
      receipt: deps.receiptOf(paid),
      replayed,
      proof: { quote, signature: payment.payload.signature },
    });
    const boughtBefore = async ({ own, made }: Known): Promise<Bought> => {
      assertSame(sale, payment, own);
      return bought(await till.bringOn(made), own !== made);
    };

    const known = await till.known(payment);
    if (known !== null) return boughtBefore(known);
    const terms = acceptedTerms(sale, payment);
    const verdict = await verdictOn(payment, terms, who);
    if ("own" in verdict) return boughtBefore(verdict);
    if ("paid" in verdict) return bought(verdict.paid, true);
    const before = await paidBefore(verdict, who);
    if (before !== null) return bought(before, true);

    const bind = await compute();
    const paid = await till.take(verdict, async (trx) => {
      const jobId = await bind(trx);
      // A job without terms is free; should this payment come to nothing, its job must not be.
      await insertQuote(trx, jobId, [terms], seconds());
      await claimPurchase(trx, who, jobId, seconds(), terms.maxTimeoutSeconds);
      return jobId;
    });
    if (paid !== null) {
      assertSame(sale, payment, paid);
      return bought(paid, false);
    }
    // Another payment for the same was faster.
    const faster = await paidBefore(verdict, who);
    if (faster === null) throw paymentInProgress();
    return bought(faster, true);
  };

  /**
   * What is to be done with a payment that was not known a moment ago. Where it is refused, a copy of it may have been
   * charged meanwhile, or another one of its payer's, which took the last of the money.
   */
  async function verdictOn(
    payment: Payment,
    terms: Requirements,
    who: BodyPurchase,
  ): Promise<Inspected | Known | { readonly paid: StoredPayment }> {
    try {
      return await till.inspect(payment, terms);
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      const known = await till.known(payment);
      if (known !== null) return known;
      const proven = OF_THE_BALANCE.has(error.refusal) ? await till.prove(payment, terms) : null;
      const paid = proven === null ? null : await paidBefore(proven, who);
      if (paid === null) throw error;
      return { paid };
    }
  }

  /** What the payer, who is proven by now, has bought of this a moment ago. */
  async function paidBefore(inspected: Inspected, who: BodyPurchase): Promise<StoredPayment | null> {
    const before = await findPurchase(db, who, seconds());
    if (before === null) return null;
    const paid = await till.bringOn(before);
    if (paid.state !== "settled") return null;
    // Should this payment come again, it stands for the other one.
    await till.cover(inspected, paid.jobId);
    return paid;
  }
}
