/** The facts in the texts for agents and catalogs, taken from their sources so that none can drift. */
import type { Route } from "../http/route.ts";
import type { InputDescription } from "../jobs/catalog.ts";
import type { Payments } from "../payments/payments.ts";
import { PaymentRequired } from "../payments/terms.ts";

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

export interface Facts {
  /** Where clients find the service, without a slash at its end. */
  readonly baseUrl: string;
  /** Of the program. */
  readonly version: string;
  /** The stock market is the local world's. */
  readonly simulated: boolean;
  /** Ways to pay for a verification by STRICT_LIVE; null in the free phase. */
  readonly prices: readonly Price[] | null;
  readonly routes: readonly Route[];
  readonly verifyInput: InputDescription;
  /** Requests a minute without a key, of one address. */
  readonly addressLimitPerMinute: number;
}

export const SUMMARY =
  "Data and trade verification for tokenized US stocks: a trade executes only if the facts that it was judged on were recorded, signed and can be checked again by anyone.";

/** Express's form of a path in OpenAPI's: `/v1/jobs/{id}`. */
export const pathOf = ({ path }: Route): string => path.replace(/[:*]([A-Za-z]+)/g, "{$1}");

export const mcpUrl = (baseUrl: string): string => `${baseUrl}/mcp`;

/** @throws Error where there is no such route */
export function routeOf({ routes }: Pick<Facts, "routes">, operationId: string): Route {
  const found = routes.find((route) => route.operationId === operationId);
  if (found === undefined) throw new Error(`there is no route ${operationId}`);
  return found;
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
