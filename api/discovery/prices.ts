/** What a verification costs, read from the very challenge that buyers get. */
import { PaymentRequired } from "../payments/challenge.ts";
import type { Payments } from "../payments/payments.ts";
import type { Price } from "./facts.ts";

/** The policy that applies when a caller names none. */
const POLICY = "STRICT_LIVE";

/** @returns null in the free phase; empty while nothing is on sale for the usual policy */
export function pricesOf(payments: Pick<Payments, "challengeProbe"> | null): Price[] | null {
  if (!payments) return null;
  const challenge = PaymentRequired.safeParse(payments.challengeProbe(POLICY).members);
  if (!challenge.success) return [];
  const { accepts, tariff } = challenge.data;
  const leastOf = (network: string, asset: string) =>
    tariff?.prices.find((one) => one.policyId === POLICY && one.network === network && one.asset === asset)
      ?.tiers[0]?.amount;
  return accepts.map(({ network, asset, amount, extra }) => ({
    network,
    asset,
    amount,
    least: leastOf(network, asset) ?? amount,
    token: typeof extra.name === "string" ? extra.name : "the token",
  }));
}
