/** Whether an authorization is for the terms, and for a time in which it can be waited for. */
import { type Authorization, methodOfTerms } from "./authorization.ts";
import type { Requirements } from "./payload.ts";
import { EXACT_PERMIT2_PROXY } from "./permit2Contracts.ts";
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
 * @throws PaymentRefused `unsupported`, `wrong_token`, `wrong_amount`, `wrong_payee`, `expired`, `not_yet_valid`,
 *   `valid_too_long`
 */
export function assertUsable(authorization: Authorization, terms: Requirements, nowMs: number): void {
  const { method, signedFor, amount, payTo } = authorization;
  if (method !== methodOfTerms(terms)) throw new PaymentRefused("unsupported");
  if (signedFor !== null) {
    // Another spender could send the token anywhere: the payee is bound by the proxy alone.
    if (signedFor.spender !== EXACT_PERMIT2_PROXY) throw new PaymentRefused("unsupported");
    if (signedFor.token !== terms.asset) throw new PaymentRefused("wrong_token");
  }
  if (amount !== terms.amount) throw new PaymentRefused("wrong_amount");
  if (payTo !== terms.payTo) throw new PaymentRefused("wrong_payee");
  const now = BigInt(Math.floor(nowMs / 1000));
  if (BigInt(authorization.validBefore) < now + LEAST_SECONDS_LEFT) throw new PaymentRefused("expired");
  if (BigInt(authorization.validAfter) > now) throw new PaymentRefused("not_yet_valid");
  const latestEnd = now + BigInt(terms.maxTimeoutSeconds) + SKEW_SECONDS;
  if (BigInt(authorization.validBefore) > latestEnd) throw new PaymentRefused("valid_too_long");
}
