/**
 * What is sold under which terms, whether a payment is for exactly that, and the answers that are no reports: pay first,
 * wait, ask again.
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
import { z } from "zod";
import { canonicalJson } from "../../attestor/values/canonical.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Problem } from "../http/problems.ts";
import { type Offer, priceOf } from "../settings/paymentOptions.ts";
import { IDENTIFIER_BOUNDS, PAYMENT_IDENTIFIER, type Payment } from "./payload.ts";
import { PaymentRefused, REFUSALS, type Refusal } from "./refusals.ts";
import { Requirements } from "./requirements.ts";

/** Something that can be bought. */
export interface Product {
  /** Path of the resource, for the URL in the challenge. */
  readonly path: string;
  /** The MCP tools that sell the same: over MCP the resource is `mcp://tool/<name>`. */
  readonly tools: readonly string[];
  readonly description: string;
  /** The terms to choose from. */
  readonly accepts: readonly Requirements[];
}

const VERIFY_PATH = "/a2mcp/verify";
export const JOB_TOOLS = ["purchase_verification", "prepare_guard_trade"] as const;

export const quoteOfJob = (jobId: string): string => `job:${jobId}`;

const QUOTE_OF_BODY = /^body:0x[0-9a-f]{64}:[A-Za-z0-9_-]{22}$/;
export const QUOTE_BYTES = 16;
/** @param random `QUOTE_BYTES` of them */
export const quoteOfBody = (intentHash: string, random: Uint8Array): string =>
  `body:${intentHash}:${Buffer.from(random).toString("base64url")}`;

/** @param accepts of the terms that were frozen on the job, those that can still be paid */
export function jobProduct(jobId: string, accepts: readonly Requirements[]): Product {
  return {
    path: `/v1/jobs/${jobId}/report`,
    tools: JOB_TOOLS,
    description: "Report of one verification job, with all its later versions",
    accepts,
  };
}

/** @param quote of a body; of a GET, which names no trade and buys nothing, another one */
export function bodyProduct(offers: readonly Offer[], policyId: string, quote: string): Product {
  return {
    path: VERIFY_PATH,
    tools: ["prepare_verification"],
    description: "One verification report, with all later versions of its job",
    accepts: paymentTermsOf(offers, policyId, quote),
  };
}

/** The terms of all offers that sell the policy, under the name of a quote. */
export function paymentTermsOf(offers: readonly Offer[], policyId: string, quote: string): Requirements[] {
  const terms: Requirements[] = [];
  for (const offer of offers) {
    const amount = priceOf(offer, policyId);
    if (amount === null) continue;
    terms.push({
      scheme: "exact",
      network: offer.network as Requirements["network"],
      asset: offer.asset,
      amount,
      payTo: offer.payTo,
      maxTimeoutSeconds: offer.maxTimeoutSeconds,
      extra: { ...transferOf(offer), quote },
    });
  }
  return terms;
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
export function acceptedTerms(product: Product, payment: Payment): Requirements {
  const url = payment.resource?.url;
  if (url !== undefined && !isSoldAt(product, url)) throw new PaymentRefused("other_purchase");
  const accepted = canonical(payment.accepted);
  const found = product.accepts.find((terms) => canonical(terms) === accepted);
  if (found !== undefined) return found;
  const otherwise = canonical(withoutQuote(payment.accepted));
  const isAlike = product.accepts.some((terms) => canonical(withoutQuote(terms)) === otherwise);
  throw new PaymentRefused(isAlike ? "other_purchase" : "not_offered");
}

/** For the facilitator, whose business it is not what is bought. */
export function withoutQuote<T extends { readonly extra?: unknown }>(terms: T): T {
  const { extra } = terms;
  if (typeof extra !== "object" || extra === null) return terms;
  return { ...terms, extra: Object.fromEntries(Object.entries(extra).filter(([name]) => name !== "quote")) };
}

/** Which tool it is, or which path; which job or body, the quote says in either case. */
function isSoldAt({ path, tools }: Product, url: string): boolean {
  const tool = /^mcp:\/\/tool\/([^/?#]+)$/.exec(url)?.[1];
  if (tool !== undefined) return tools.includes(tool);
  // Host and prefix are those that the buyer used; the rest of the path says what is bought.
  return URL.canParse(url) && new URL(url).pathname.endsWith(path);
}

const canonical = (value: unknown): string | null => orElse(() => canonicalJson(value), null);

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

/** What the challenge of a body declares; a job is bought once anyway. */
const IDENTIFIER_DECLARATION = {
  [PAYMENT_IDENTIFIER]: {
    info: { required: false },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { required: { type: "boolean" }, id: { type: "string", ...IDENTIFIER_BOUNDS } },
      required: ["required"],
    },
  },
};

/**
 * 402: the terms, and why the payment that came is not taken; 503 where nothing can be paid by.
 * @param publicUrl where buyers reach the service; never taken from a request
 */
export function paymentRequired(publicUrl: string, product: Product, refusal?: Refusal): Problem {
  const { path, description, accepts } = product;
  if (accepts.length === 0)
    return new Problem("unavailable", "There is no way to pay for this policy at the moment.");
  const url = `${publicUrl.replace(/\/+$/, "")}${path}`;
  const terms = {
    x402Version: 2,
    resource: { url, description, mimeType: "application/json" },
    accepts,
    ...(path === VERIFY_PATH ? { extensions: IDENTIFIER_DECLARATION } : {}),
  };
  const headers = { "PAYMENT-REQUIRED": headerOf({ ...terms, error: refusal ?? "payment_required" }) };
  if (refusal === undefined) {
    const detail =
      "Pay with one of `accepts` and send the same request again with the header PAYMENT-SIGNATURE (x402 version 2).";
    return new Problem("payment_required", detail, { headers, members: terms });
  }
  const detail = `${REFUSALS[refusal]}${refusal === "cancelled" ? "" : " Nothing was charged for it."}`;
  return new Problem("payment_required", detail, { headers, members: { ...terms, paymentError: refusal } });
}

/** One of x402's headers: base64 of JSON. */
export const headerOf = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");

/** What `headerOf` was given. */
export const valueInHeader = (header: string) => JSON.parse(Buffer.from(header, "base64").toString("utf8"));

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
