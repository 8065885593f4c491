/** Whether an authorization is for the terms, and for a time in which it can be waited for. */
import type { Authorization, Requirements } from "./payload.ts";
import { PaymentRefused } from "./refusals.ts";

/** The facilitator wants as much, so that there is time to mine it. */
const LEAST_SECONDS_LEFT = 6n;
/**
 * A buyer's clock may be ahead of ours by so much. A longer life is refused: until an authorization that was sent
 * has expired, its job waits for it. It also keeps away the tokens' block-number clocks, which begin at 2 ** 47.
 */
const SKEW_SECONDS = 300n;

/**
 * @param nowMs unix milliseconds
 * @throws PaymentRefused `wrong_amount`, `wrong_payee`, `expired`, `not_yet_valid`, `valid_too_long`
 */
export function assertUsable(authorization: Authorization, terms: Requirements, nowMs: number): void {
  const now = BigInt(Math.floor(nowMs / 1000));
  const validBefore = BigInt(authorization.validBefore);
  if (authorization.value !== terms.amount) throw new PaymentRefused("wrong_amount");
  if (authorization.to !== terms.payTo) throw new PaymentRefused("wrong_payee");
  if (validBefore < now + LEAST_SECONDS_LEFT) throw new PaymentRefused("expired");
  if (BigInt(authorization.validAfter) > now) throw new PaymentRefused("not_yet_valid");
  if (validBefore > now + BigInt(terms.maxTimeoutSeconds) + SKEW_SECONDS)
    throw new PaymentRefused("valid_too_long");
}
