/** What a tool answers when it cannot do what it was asked: a code, and what to do next. */
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from "@x402/core/http";
import { type FieldError, type Problem, toProblem } from "../http/problems.ts";

export interface ToolFailureFields {
  /** Stable: a code of the HTTP API, or `secret_refused`. */
  readonly code: string;
  /** For the caller to read. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number | null;
  /** Members beyond the common ones. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** What to do, where the code alone does not say it. */
  readonly next?: string;
  /** Receipt of a payment that was made although the call failed. */
  readonly settlement?: object | null;
}

/** Throw it anywhere below a tool: the caller sees it as it is. */
export class ToolFailure extends Error {
  readonly fields: ToolFailureFields;

  constructor(fields: ToolFailureFields) {
    super(fields.detail);
    this.name = "ToolFailure";
    this.fields = fields;
  }
}

/** The failure that any thrown thing is to the caller; what is not known becomes `internal`. */
export function failureOf(error: unknown): ToolFailureFields {
  if (error instanceof ToolFailure) return error.fields;
  const problem: Problem = toProblem(error);
  const seconds = Number(problem.headers["Retry-After"]);
  const receipt = problem.headers["PAYMENT-RESPONSE"];
  return {
    code: problem.code,
    detail: problem.message,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
    ...(Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {}),
    ...(receipt === undefined ? {} : { settlement: decodePaymentResponseHeader(receipt) }),
    members:
      problem.code === "payment_required"
        ? { ...problem.members, paymentRequired: termsOf(problem) }
        : problem.members,
  };
}

/** What a wallet is to sign, whole. */
function termsOf({ headers }: Problem): unknown {
  return decodePaymentRequiredHeader(headers["PAYMENT-REQUIRED"] ?? "");
}

/** By code. */
const NEXT: Readonly<Record<string, string>> = {
  invalid_request: "Correct what errors names, then call the tool again.",
  not_found:
    "Use the jobId that prepare_verification returned for this API key, or with the jobToken that came along with it, and a version that there is. Jobs of others are not found.",
  unsupported_asset: "Choose inputAssetKey and outputAssetKey from list_supported_assets.",
  ambiguous_symbol: "Give one of the asset keys that errors names, instead of the symbol.",
  unknown_policy: "Choose policyId from get_verification_policy.",
  limit_too_wide: "Name limits that are no wider than the bounds in errors, or leave them out.",
  idempotency_conflict:
    "Another trade has this clientRequestId. Use a new one, or send exactly the first fields to get that job.",
  job_expired: "Call prepare_verification again with a new clientRequestId.",
  payment_required:
    "Ask the user, then have the user's wallet sign one of accepts as an x402 version 2 payment, and call purchase_verification with this jobId and the payment's base64 as paymentSignature. (An x402 client sends the same call again with the payment in _meta.)",
  payment_in_progress:
    "Do not pay again. The payment is being settled: wait, then call purchase_verification without a signature to see its state.",
  rate_limited: "Wait as long as retryAfterSeconds says, then call the tool again.",
  unavailable: "Wait as long as retryAfterSeconds says, then call the tool again with the same arguments.",
  upstream_unavailable:
    "Wait as long as retryAfterSeconds says, then call the tool again with the same arguments. Sign no new payment.",
  internal: "Call the tool once more. If it fails again, give the requestId to the operator.",
  secret_refused:
    "Never send private keys or seed phrases: the user's own wallet signs. Ask for an address, a signature or a transaction hash instead. Whoever owns the key should treat it as known to others.",
  body_too_large: "Send less: no call needs that much, and batches can be split.",
  unsupported_media_type: "Send application/json.",
  missing_api_key:
    "Without an API key, give the jobToken that prepare_verification answered with the jobId. For all else the host must send an API key with every request: POST /api/v1/keys with name, email and purpose applies for one, free of charge.",
  invalid_api_key: "The host's API key is wrong: ask the user to correct the host's settings.",
  revoked_api_key: "The host's API key was revoked: ask the user to apply for a new one.",
  key_pending_approval: "The host's API key awaits approval by the operator.",
};
const ELSE = "Read detail. If that does not help, call get_verification to see where the job stands.";

export function nextStepAfter(code: string): string {
  return Object.hasOwn(NEXT, code) ? (NEXT[code] ?? ELSE) : ELSE;
}

/** Said first, or said already within `paymentRequired`. */
const NOT_REPEATED = ["code", "detail", "next", "x402Version", "resource", "accepts", "extensions"];

/** The failure as one JSON text, in the order in which it should be read. */
export function failureText(fields: ToolFailureFields, requestId: string | undefined): string {
  const { code, detail, next = nextStepAfter(code), errors, retryAfterSeconds, members } = fields;
  return JSON.stringify({
    code,
    detail,
    next,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterSeconds === undefined || retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(requestId === undefined ? {} : { requestId }),
    ...Object.fromEntries(Object.entries(members ?? {}).filter(([name]) => !NOT_REPEATED.includes(name))),
  });
}
