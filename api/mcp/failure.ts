/** What a tool answers when it cannot do what it was asked: a code, and what to do next. */
import { type FieldError, type Problem, toProblem } from "../http/problems.ts";
import { valueInHeader } from "../payments/terms.ts";
import NEXT_STEPS from "./nextSteps.json" with { type: "json" };

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
    ...(receipt === undefined ? {} : { settlement: valueInHeader(receipt) }),
    members:
      problem.code === "payment_required"
        ? { ...problem.members, paymentRequired: termsOf(problem) }
        : problem.members,
  };
}

/** What a wallet is to sign, whole. */
function termsOf({ headers }: Problem): unknown {
  return valueInHeader(headers["PAYMENT-REQUIRED"] ?? "");
}

const NEXT: Readonly<Record<string, string>> = NEXT_STEPS;
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
