/** Why a payment is refused, in our own words. A library's or facilitator's reason becomes one of these (`facilitator.ts`). */

/** Stable names; one stands as `paymentError` in the 402 answer and as `error` in PAYMENT-REQUIRED. */
export const REFUSALS = {
  malformed:
    "The payment cannot be read: PAYMENT-SIGNATURE is base64 of the JSON of an x402 version 2 payment.",
  unsupported:
    "Only the scheme exact is taken, by the transfer method of the accepted terms: EIP-3009, or Permit2 with x402's proxy as the spender.",
  not_offered:
    "The payment accepts terms that are not offered here: network, token, amount and payee must be as in `accepts`.",
  other_purchase: "The payment was made for another purchase.",
  wrong_token: "The authorization is for another token.",
  wrong_amount: "The authorization is not for the price.",
  wrong_payee: "The authorization is for another payee.",
  wrong_signature: "The signature is not the payer's over this authorization.",
  expired: "The authorization has expired or is about to expire.",
  not_yet_valid: "The authorization is not valid yet.",
  valid_too_long: "The authorization is valid for longer than maxTimeoutSeconds.",
  insufficient_funds: "The payer's balance does not cover the price.",
  allowance_required: "Permit2 may not take the price from the payer's account yet: approve it.",
  already_used: "The authorization was used or cancelled before.",
  cancelled:
    "The authorization was cancelled, or used in another way than agreed, before it was settled. If the payee has your tokens all the same, give the operator that transaction.",
  refused: "The token or the facilitator refuses the payment.",
} as const;

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
