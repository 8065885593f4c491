/** Why a payment is refused, in our own words. Every reason of a library or a facilitator is mapped to one of these. */
import REFUSALS from "./refusals.json" with { type: "json" };

export { REFUSALS };

/** Stable; stands as `paymentError` in the 402 answer and as `error` in PAYMENT-REQUIRED. */
export type Refusal = keyof typeof REFUSALS;

/** A payment that is not taken; nothing was charged. */
export class PaymentRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(REFUSALS[refusal]);
    this.name = "PaymentRefused";
    this.refusal = refusal;
  }
}

// Reasons of @x402/evm 2.27, by what they contain. Order matters: the first that fits counts.
const REASONS: readonly [RegExp, Refusal][] = [
  [/insufficient_(balance|funds)/, "insufficient_funds"],
  [/nonce_already_used|invalid_nonce/, "already_used"],
  [/allowance_required/, "allowance_required"],
  [/valid_before|expired/, "expired"],
  [/valid_after|not_yet_valid/, "not_yet_valid"],
  [/recipient_mismatch|pay_to/, "wrong_payee"],
  [/token_mismatch/, "wrong_token"],
  [/value|amount_mismatch/, "wrong_amount"],
  [/network_mismatch|unsupported|scheme/, "unsupported"],
  [/signature/, "wrong_signature"],
];

/** @param reason a facilitator's `invalidReason`, of any kind */
export function refusalOf(reason: unknown): Refusal {
  if (typeof reason !== "string") return "refused";
  return REASONS.find(([pattern]) => pattern.test(reason.slice(0, 200)))?.[1] ?? "refused";
}
