/**
 * What is sold under which terms, and whether a payment is for exactly that.
 *
 * The signature of an authorization binds payer, payee, amount, token and nonce, but not what is bought. So every quote
 * has a name in `accepts[].extra.quote`; a wallet sends it back in `accepted`, which must equal the terms member by
 * member. A payment names its job or body, and is refused for every other at the same price.
 *
 * - A job of POST /v1/jobs is sold as `job:<jobId>`. Its terms are stored with the job, so its price is frozen.
 * - POST /a2mcp/verify has no job yet when it asks for payment. It stores nothing before a payment is verified: a free
 *   request must not fill the database. It is sold as `body:<hash>:<random>`. The hash is of the intent, so that the
 *   quote is for that body alone; a retry finds its job by the authorization that it carries. The random part is not on
 *   the chain, unlike the rest of a settled payment: knowing the trade without the quote gives no access to the buyer's
 *   report. Terms follow from settings and intent: when a price was changed in between, the retry is answered with the
 *   new terms, and nothing is charged.
 */
import { canonicalJson } from "../../attestor/values/canonical.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { type Offer, priceOf } from "../settings/paymentOptions.ts";
import type { Payment, Requirements } from "./payload.ts";
import { PaymentRefused } from "./refusals.ts";

/** Something that can be bought. */
export interface Sale {
  /** Path of the resource, for the URL in the challenge. */
  readonly path: string;
  /** The MCP tools that sell the same: over MCP the resource is `mcp://tool/<name>`. */
  readonly tools: readonly string[];
  readonly description: string;
  /** The terms to choose from. */
  readonly accepts: readonly Requirements[];
}

/** Of a GET, which names no trade: it buys nothing. */
export const PROBE = "probe";
export const VERIFY_PATH = "/a2mcp/verify";
export const BODY_TOOLS = ["prepare_verification"] as const;
export const JOB_TOOLS = ["purchase_verification", "prepare_guard_trade"] as const;
const QUOTE_OF_BODY = /^body:0x[0-9a-f]{64}:[A-Za-z0-9_-]{22}$/;

export const reportPath = (jobId: string): string => `/v1/jobs/${jobId}/report`;
export const quoteOfJob = (jobId: string): string => `job:${jobId}`;
/** @param random 16 bytes */
export const quoteOfBody = (intentHash: string, random: Uint8Array): string =>
  `body:${intentHash}:${Buffer.from(random).toString("base64url")}`;

/** The terms of all offers that sell the policy, under the name of a quote. */
export function paymentTermsOf(offers: readonly Offer[], policyId: string, quote: string): Requirements[] {
  return offers.flatMap((offer) => {
    const amount = priceOf(offer, policyId);
    if (amount === null) return [];
    return [
      {
        scheme: "exact" as const,
        network: offer.network as Requirements["network"],
        asset: offer.asset,
        amount,
        payTo: offer.payTo,
        maxTimeoutSeconds: offer.maxTimeoutSeconds,
        extra: { ...transferOf(offer), quote },
      },
    ];
  });
}

/** What a wallet has to know of the token beside its address; EIP-3009 is what wallets take for granted. */
function transferOf({ transferMethod, name = "", version = "" }: Offer): Record<string, string> {
  return transferMethod === "permit2" ? { assetTransferMethod: "permit2" } : { name, version };
}

/**
 * The quote that a payment says it is for.
 * @throws PaymentRefused `not_offered` without a quote, `other_purchase` when it is none of the intent
 */
export function bodyQuoteOf(payment: Payment, intentHash: string): string {
  const { extra } = payment.accepted;
  const quote = typeof extra === "object" && extra !== null && "quote" in extra ? extra.quote : undefined;
  if (quote === undefined) throw new PaymentRefused("not_offered");
  if (typeof quote !== "string" || !QUOTE_OF_BODY.test(quote) || !quote.startsWith(`body:${intentHash}:`))
    throw new PaymentRefused("other_purchase");
  return quote;
}

/** The terms that a payment accepts. @throws PaymentRefused `not_offered`, `other_purchase` */
export function acceptedTerms(sale: Sale, payment: Payment): Requirements {
  const url = payment.resource?.url;
  if (url !== undefined && !isSoldAt(sale, url)) throw new PaymentRefused("other_purchase");
  const accepted = canonical(payment.accepted);
  const found = sale.accepts.find((terms) => canonical(terms) === accepted);
  if (found !== undefined) return found;
  const otherwise = canonical(withoutQuote(payment.accepted));
  throw new PaymentRefused(
    sale.accepts.some((terms) => canonical(withoutQuote(terms)) === otherwise)
      ? "other_purchase"
      : "not_offered",
  );
}

/** For the facilitator, whose business it is not what is bought. */
export function withoutQuote<T extends { readonly extra?: unknown }>(terms: T): T {
  const { extra } = terms;
  if (typeof extra !== "object" || extra === null) return terms;
  return { ...terms, extra: Object.fromEntries(Object.entries(extra).filter(([name]) => name !== "quote")) };
}

/** Which tool it is, or which path; which job or body, the quote says in either case. */
function isSoldAt({ path, tools }: Sale, url: string): boolean {
  const tool = /^mcp:\/\/tool\/([^/?#]+)$/.exec(url)?.[1];
  if (tool !== undefined) return tools.includes(tool);
  // Host and prefix are those that the buyer used; the rest of the path says what is bought.
  return URL.canParse(url) && new URL(url).pathname.endsWith(path);
}

function canonical(value: unknown): string | null {
  return orElse(() => canonicalJson(value), null);
}
