/** The answers of the paid phase that are no reports: pay first, wait, ask again. */
import { encodePaymentRequiredHeader } from "@x402/core/http";
import { z } from "zod";
import { Problem } from "../http/problems.ts";
import { identifierExtension } from "./identifier.ts";
import { Requirements } from "./payload.ts";
import type { Sale } from "./quote.ts";
import { REFUSALS, type Refusal } from "./refusals.ts";

/** The members of a `payment_required` problem beside the common ones, as in the header PAYMENT-REQUIRED. */
export const PaymentRequired = z
  .object({
    x402Version: z.literal(2).describe("Version of the x402 protocol"),
    resource: z.object({ url: z.string(), description: z.string(), mimeType: z.string() }),
    accepts: z.array(Requirements).min(1),
    extensions: z.record(z.string(), z.unknown()).optional().describe("x402's, by their names"),
    paymentError: z
      .enum(Object.keys(REFUSALS) as [Refusal, ...Refusal[]])
      .optional()
      .describe("Why the payment that was sent is not accepted"),
  })
  .meta({ id: "PaymentRequired" });

export interface ChallengeDeps {
  /** Where buyers reach the service; never taken from a request. */
  readonly publicUrl: () => string;
}

/** 402: the terms, and why the payment that came is not taken; 503 where nothing can be paid by. */
export function paymentRequired(
  deps: ChallengeDeps,
  { path, description, accepts }: Sale,
  refusal?: Refusal,
): Problem {
  if (accepts.length === 0)
    return new Problem("unavailable", "There is no way to pay for this policy at the moment.");
  const resource = {
    url: `${deps.publicUrl().replace(/\/+$/, "")}${path}`,
    description,
    mimeType: "application/json",
  };
  const extensions = identifierExtension(path);
  const terms = {
    x402Version: 2,
    resource,
    accepts: [...accepts],
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
  };
  const header = encodePaymentRequiredHeader({ ...terms, error: refusal ?? "payment_required" });
  const detail =
    refusal === undefined
      ? "Pay with one of `accepts` and send the same request again with the header PAYMENT-SIGNATURE (x402 version 2)."
      : `${REFUSALS[refusal]}${refusal === "cancelled" ? "" : " Nothing was charged for it."}`;
  return new Problem("payment_required", detail, {
    headers: { "PAYMENT-REQUIRED": header },
    members: { ...terms, ...(refusal === undefined ? {} : { paymentError: refusal }) },
  });
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
    "The payment was sent for settlement and its outcome is not known yet. Ask again with the same payment: it is charged at most once.",
    { retryAfterSeconds: LATER_SECONDS },
  );

/** 503: nobody could say whether the payment is good. */
export const notVerifiable = (): Problem =>
  new Problem(
    "upstream_unavailable",
    "The payment cannot be verified at the moment. Nothing was charged; send the same payment again.",
    { retryAfterSeconds: LATER_SECONDS },
  );
