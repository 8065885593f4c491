/**
 * Read this first: every call of the data API and the verification API as a typed function. Answers are parsed by
 * the schemas that the service itself validates with; every failure outside is a `ServiceError`.
 */
import type { UnixMs } from "../attestor/values/time.ts";
import { parseUrl } from "../attestor/values/url.ts";
import { type AskedTrade, type CheckedTrade, checkedTrade, type TradeTrust } from "./checkTrade.ts";
import { dataCalls } from "./data.ts";
import type { ReportDocument } from "./document.ts";
import { type JobCalls, jobCalls } from "./jobCalls.ts";
import { type CatalogCalls, catalogCalls, type OpenCalls, openCalls } from "./openCalls.ts";
import type { PaymentChallenge } from "./payment.ts";
import { type PaymentLimit, type PaymentSigner, signedPayment } from "./signPayment.ts";
import { carriedOut, relayedCall, type TradeCall, type Traded, type TradeOptions } from "./trade.ts";
import { createTransport, type Get, sendable } from "./transport.ts";
import { type WalletProvider, walletOver } from "./wallet.ts";

export { type AskedTrade, type CheckedTrade, TradeRefused, type TradeTrust } from "./checkTrade.ts";
export { PaymentRequired, ServiceError } from "./clientErrors.ts";
export type { PremiumQuery } from "./data.ts";
export type { BoughtReport, PreparedExecution, ReportDocument } from "./document.ts";
export { mandateCall } from "./mandateCall.ts";
export type { VerifiedReport } from "./openCalls.ts";
export type { Bought, Payable, PaymentChallenge, PaymentRequirements, Receipt } from "./payment.ts";
export { type PaymentLimit, PaymentNotAllowed, type PaymentSigner, type TypedData } from "./signPayment.ts";
export { type TradeCall, type Traded, type TradeEvent, TradeFailed, type TradeOptions } from "./trade.ts";
export { signerOf, type WalletProvider } from "./wallet.ts";
export { type WalletCall, type WalletCalls, walletCallsOf } from "./walletCalls.ts";

export interface ClientOptions {
  /** Where the service stands: http or https, a path allowed, credentials not. */
  readonly baseUrl: string;
  /** For everything but the public calls. */
  readonly apiKey?: string;
  /** `jobToken` of a report from `verify`: opens the calls of that one job, and goes before the key there. */
  readonly jobToken?: string;
  /** One that pays (`wrapFetchWithPayment` of @x402/fetch) makes the paid phase invisible. */
  readonly fetch?: typeof fetch;
  /** Resolves after so many milliseconds. */
  readonly sleep?: (ms: number) => Promise<void>;
  readonly now?: () => UnixMs;
  /** Milliseconds for one attempt (30,000). */
  readonly timeoutMs?: number;
  /** How often a call that may be repeated is repeated at most (2). */
  readonly retries?: number;
  /** Milliseconds that one call may wait between attempts, in sum (30,000). */
  readonly patienceMs?: number;
}

const DEFAULTS = { timeoutMs: 30_000, retries: 2, patienceMs: 30_000 };

/**
 * Idempotent calls are repeated after 429, 503 and broken connections, as Retry-After says. These are reads, `createJob`
 * (by `clientRequestId`), `submit` (by the hash) and `verify` (by its payment). `prepare` is repeated after 429, and
 * after 503 with Retry-After; `verify` without payment and `applyForKey` after a 429 alone.
 * @throws RangeError for a base URL, a key or a token that cannot be one
 */
export function createClient(options: ClientOptions): Client {
  const { apiKey, jobToken } = options;
  const transport = {
    baseUrl: baseUrlOf(options.baseUrl),
    apiKey: apiKey === undefined ? undefined : sendable("apiKey", apiKey),
    jobToken: jobToken === undefined ? undefined : sendable("jobToken", jobToken),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    now: options.now ?? (() => Date.now()),
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    retries: options.retries ?? DEFAULTS.retries,
    patienceMs: options.patienceMs ?? DEFAULTS.patienceMs,
  };
  const send = createTransport(transport);
  const get: Get = async (auth, path, answer, query = {}) =>
    (await send({ method: "GET", path, query, answer, auth, repeatable: "always" })).value;
  const open = openCalls(send, get);
  const sign = (...payment: Payment) => signed(transport.now, ...payment);
  const tradeDeps = { transport, verify: open.verify, sign, newRequestId: () => crypto.randomUUID() };

  return {
    data: dataCalls(get),
    ...catalogCalls(get, apiKey !== undefined),
    ...open,
    ...jobCalls(send),
    trade: (asked, options) => carriedOut(tradeDeps, asked, options),
    relay: ({ execution }, wallet) => relayedCall(execution, wallet),
  };
}

export interface Client extends CatalogCalls, OpenCalls, JobCalls {
  /** The data API: tokens, liquidity, premium, totals, basis. */
  readonly data: ReturnType<typeof dataCalls>;
  /**
   * The whole trade: judged, checked as `checkTrade` does, approved where needed, sent or relayed, and waited for.
   * @param asked write it yourself; without an API key the owner receives the output
   * @returns what the guard's event and the service say of it, once a block has it
   * @throws TradeRefused before the trade is signed; TradeFailed after it was sent; ServiceError, PaymentRequired or
   *   PaymentNotAllowed; the wallet's errors
   */
  trade(asked: AskedTrade, options: TradeOptions): Promise<Traded>;
  /** Has the owner's wallet sign a checked trade. @returns the guard's call, for anybody to send */
  relay(checked: CheckedTrade, wallet: WalletProvider): Promise<TradeCall>;
}

/**
 * The accounts that a JSON-RPC server holds and signs for, as the local chain's node and Web3Signer do.
 * @param url http or https
 */
export const walletAt = (url: string): WalletProvider => walletOver(url, fetch);

/**
 * Signs a payment for what a `PaymentRequired` asks (x402 `exact`, EIP-3009 or Permit2), within the user's limit. It is good once,
 * and for as long as the terms say; the call that takes it may be repeated with it.
 * @returns `paymentSignature` of the call
 * @throws PaymentNotAllowed before anything is signed; the signer's errors
 */
export function signPayment(
  challenge: PaymentChallenge,
  signer: PaymentSigner,
  limit: PaymentLimit,
): Promise<object> {
  return signed(() => Date.now(), challenge, signer, limit);
}

/**
 * Checks a prepared trade before a wallet signs it. It must be VALID for a reader who trusts this guard and key,
 * unexpired, and what was asked for. Write `asked` and `trust` yourself; from the service they would prove nothing.
 * @param prepared the answer of `prepare`
 * @param now unix seconds (the clock's)
 * @returns what to send
 * @throws TradeRefused; RangeError where `trust` names no guard or no signer
 */
export function checkTrade(
  prepared: ReportDocument,
  asked: AskedTrade,
  trust: TradeTrust,
  now = seconds(Date.now()),
): CheckedTrade {
  return checkedTrade(prepared, asked, trust, now);
}

type Payment = [challenge: PaymentChallenge, signer: PaymentSigner, limit: PaymentLimit];

function signed(now: () => UnixMs, ...[challenge, signer, limit]: Payment) {
  const nonce = crypto.getRandomValues(new Uint8Array(32));
  return signedPayment(challenge, signer, limit, { now: seconds(now()), nonce });
}

const seconds = (ms: UnixMs) => Math.floor(ms / 1000);

function baseUrlOf(text: string): string {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new RangeError("baseUrl must be an http or https URL without query");
  if (url.username !== "" || url.password !== "")
    throw new RangeError("baseUrl must not carry credentials: give apiKey or jobToken");
  return url.href.replace(/\/+$/, "");
}
