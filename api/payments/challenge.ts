/** The answers of the paid phase that are no reports: pay first, wait, ask again. And the receipt of those that are. */
import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from "@x402/core/http";
import { z } from "zod";
import { Problem, toProblem } from "../http/problems.ts";
import { Requirements } from "./payload.ts";
import type { Sale } from "./quote.ts";
import { REFUSALS, type Refusal } from "./refusals.ts";

/** What was paid; the same for every answer of one purchase. */
export interface Receipt {
  readonly transaction: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payer: string;
  /** Raw units. */
  readonly amount: string;
}

/** The members of a `payment_required` problem beside the common ones, as in the header PAYMENT-REQUIRED. */
export const PaymentRequired = z
  .object({
    x402Version: z.literal(2).meta({ description: "Version of the x402 protocol" }),
    resource: z.object({ url: z.string(), description: z.string(), mimeType: z.string() }),
    accepts: z.array(Requirements).min(1),
    paymentError: z
      .enum(Object.keys(REFUSALS) as [Refusal, ...Refusal[]])
      .optional()
      .meta({ description: "Why the payment that was sent is not taken" }),
  })
  .meta({ id: "PaymentRequired" });

export interface Challenger {
  /** 402: the terms, and why the payment that came is not taken. */
  paymentRequired(sale: Sale, refusal?: Refusal): Problem;
}

/**
 * @param publicUrl where buyers reach the service; never taken from a request
 * @param extensions x402 extensions to declare for a resource, such as the one for catalogues
 */
export function createChallenger(deps: {
  publicUrl: () => string;
  extensions?: (path: string) => Record<string, unknown> | undefined;
}): Challenger {
  return {
    paymentRequired({ path, description, accepts }, refusal) {
      if (accepts.length === 0)
        return new Problem("unavailable", "There is no way to pay for this policy at the moment.");
      const resource = {
        url: `${deps.publicUrl().replace(/\/+$/, "")}${path}`,
        description,
        mimeType: "application/json",
      };
      const extensions = deps.extensions?.(path);
      const header = encodePaymentRequiredHeader({
        x402Version: 2,
        error: refusal ?? "payment_required",
        resource,
        accepts: [...accepts],
        ...(extensions && Object.keys(extensions).length > 0 ? { extensions } : {}),
      });
      const detail =
        refusal === undefined
          ? "Pay by one of `accepts` and send the same request again with the header PAYMENT-SIGNATURE (x402 version 2)."
          : `${REFUSALS[refusal]} Nothing was charged for it.`;
      return new Problem("payment_required", detail, {
        headers: { "PAYMENT-REQUIRED": header },
        members: {
          x402Version: 2,
          resource,
          accepts,
          ...(refusal === undefined ? {} : { paymentError: refusal }),
        },
      });
    },
  };
}

const SOON_SECONDS = 2;
const LATER_SECONDS = 5;

/** 409: somebody else's turn, or ours and not deep enough. */
export const paymentInProgress = (): Problem =>
  new Problem(
    "payment_in_progress",
    "A payment for this is being settled. Ask again with the same payment, or without one; do not sign another.",
    { retryAfterSeconds: SOON_SECONDS },
  );

/** 503: an attempt was made, and whether the money moved is not known yet. */
export const outcomeUnknown = (): Problem =>
  new Problem(
    "upstream_unavailable",
    "The payment was sent to be settled and its outcome is not known yet. Ask again with the same payment: it is charged once at most.",
    { retryAfterSeconds: LATER_SECONDS },
  );

/** 503: nobody could say whether the payment is good. */
export const notVerifiable = (): Problem =>
  new Problem(
    "upstream_unavailable",
    "The payment cannot be verified at the moment. Nothing was charged; send the same payment again.",
    { retryAfterSeconds: LATER_SECONDS },
  );

/** Headers of an answer that was paid for; none where it was free. */
export function receiptHeaders(receipt: Receipt | null): Record<string, string> {
  if (receipt === null) return {};
  const { network, ...rest } = receipt;
  return {
    "PAYMENT-RESPONSE": encodePaymentResponseHeader({
      success: true,
      ...rest,
      network: network as `${string}:${string}`,
    }),
  };
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
