/** What a verification costs, for agents and newcomers to know before they ask. */
import { PaymentRequired } from "../payments/challenge.ts";
import type { Payments } from "../payments/payments.ts";

/** One way to pay for a verification. */
export interface Price {
  /** CAIP-2. */
  readonly network: string;
  /** The token's contract. */
  readonly asset: string;
  /** Raw units of the token. */
  readonly amount: string;
  /** The token's name as its contract says it. */
  readonly token: string;
}

/** `10000 raw units of USD Coin (0x… on eip155:56)`, and what else it may be paid with */
export function priceText(prices: readonly Price[]): string {
  if (prices.length === 0) return "as the 402 answer says";
  return prices
    .map(({ amount, token, asset, network }) => `${amount} raw units of ${token} (${asset} on ${network})`)
    .join(" or ");
}

/** The policy that applies when a caller names none. */
const POLICY = "STRICT_LIVE";

/** @returns null in the free phase; empty while nothing is on sale for the usual policy */
export function pricesOf(payments: Pick<Payments, "challengeProbe"> | null): Price[] | null {
  if (!payments) return null;
  const challenge = PaymentRequired.safeParse(payments.challengeProbe(POLICY).members);
  if (!challenge.success) return [];
  return challenge.data.accepts.map(({ network, asset, amount, extra }) => ({
    network,
    asset,
    amount,
    token: typeof extra.name === "string" ? extra.name : "the token",
  }));
}
