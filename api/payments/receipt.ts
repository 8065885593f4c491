/** The receipt of a payment: who paid what by which transaction, in the header PAYMENT-RESPONSE. */
import { Problem, toProblem } from "../http/problems.ts";
import { PaymentRefused } from "./refusals.ts";
import type { StoredPayment } from "./rows.ts";
import { headerOf } from "./terms.ts";

/** What was paid; the same for every answer of one purchase. */
export interface Receipt {
  readonly transaction: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payer: string;
  /** Raw units. */
  readonly amount: string;
}

/** @throws PaymentRefused `expired`, `cancelled`: the payment came to nothing */
export function receiptOf(payment: StoredPayment): Receipt {
  const { state, transactionHash, network, payer, amount, fault } = payment;
  if (state !== "settled" || transactionHash === null)
    throw new PaymentRefused(fault === "expired" ? "expired" : "cancelled");
  return { transaction: transactionHash, network, payer, amount };
}

/** Headers of an answer that was paid for; none where it was free. */
export function receiptHeaders(receipt: Receipt | null): Record<string, string> {
  if (receipt === null) return {};
  const { transaction, payer, amount, network } = receipt;
  return { "PAYMENT-RESPONSE": headerOf({ success: true, transaction, payer, amount, network }) };
}

/** Runs what was paid for. When it fails, the answer says all the same that the payment was made. */
export async function withReceipt<T>(receipt: Receipt | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (receipt === null) throw error;
    const { code, message, errors, members, headers, cause } = toProblem(error);
    throw new Problem(code, message, {
      ...(errors ? { errors } : {}),
      members,
      headers: { ...headers, ...receiptHeaders(receipt) },
      cause: cause ?? error,
    });
  }
}
