/** What a call can fail with. Texts of the service are cut short and freed of control characters, as they end in terminals. */
import { z } from "zod";
import type { PaymentChallenge, Receipt } from "./payment.ts";

export interface FieldError {
  /** Dotted path into what was sent. */
  readonly path: string;
  readonly message: string;
}

export interface ServiceErrorFields {
  /** null when there was no answer. */
  readonly status: number | null;
  /** Stable code of the problem, or what the client itself finds: `unreachable`, `timeout`, `unexpected_answer`. */
  readonly code: string;
  readonly detail: string;
  /** Name of the request in the service's log; null when there was no answer. */
  readonly requestId?: string | null;
  /** How long the service asks to wait; null when it does not say. */
  readonly retryAfterSeconds?: number | null;
  readonly errors?: readonly FieldError[];
  /** Members of the problem beyond the common ones, such as `schema` and `example` of `input_required`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Of a payment that was made although the call failed; asking again with the same payment charges nothing. */
  readonly receipt?: Receipt | null;
  readonly cause?: unknown;
}

/** The service refused, failed, or did not answer as it should. The message is one line for people. */
export class ServiceError extends Error {
  readonly status: number | null;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly errors: readonly FieldError[];
  readonly members: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt | null;

  constructor(fields: ServiceErrorFields) {
    const detail = oneLine(fields.detail);
    const errors = (fields.errors ?? []).map(({ path, message }) => ({
      path: oneLine(path),
      message: oneLine(message),
    }));
    const named = errors.map(({ path, message }) => `; ${path === "" ? "" : `${path} `}${message}`).join("");
    super(fields.status === null ? detail : `${oneLine(fields.code)} (${fields.status}): ${detail}${named}`, {
      cause: fields.cause,
    });
    this.name = "ServiceError";
    this.status = fields.status;
    this.code = oneLine(fields.code);
    this.detail = detail;
    this.requestId = fields.requestId ?? null;
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null;
    this.errors = errors;
    this.members = fields.members ?? {};
    this.receipt = fields.receipt ?? null;
  }
}

/**
 * 402: the service wants to be paid first. A wallet signs one of `challenge.accepts`, and the same call with
 * `paymentSignature` buys the answer.
 */
export class PaymentRequired extends ServiceError {
  readonly challenge: PaymentChallenge;
  /** The header PAYMENT-REQUIRED as it came, for wallets that read it themselves. */
  readonly header: string;

  constructor(fields: ServiceErrorFields, challenge: PaymentChallenge, header: string) {
    super(fields);
    this.name = "PaymentRequired";
    this.challenge = challenge;
    this.header = header;
  }
}

const MAX_TEXT = 400;

/** Of the service's text, for terminals. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

/** Looser than the service's own: a newer service may have codes that this client does not know. */
const ProblemAnswer = z.looseObject({
  code: z.string(),
  detail: z.string(),
  requestId: z.string().optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const COMMON = new Set(["type", "title", "status", "code", "detail", "requestId", "errors"]);

/** @returns null where the answer is no problem of the service */
export function fieldsOfProblem(
  status: number,
  answer: unknown,
): Omit<ServiceErrorFields, "retryAfterSeconds"> | null {
  const parsed = ProblemAnswer.safeParse(answer);
  if (!parsed.success) return null;
  const { code, detail, requestId, errors } = parsed.data;
  return {
    status,
    code,
    detail,
    requestId: requestId ?? null,
    ...(errors === undefined ? {} : { errors }),
    members: Object.fromEntries(Object.entries(parsed.data).filter(([name]) => !COMMON.has(name))),
  };
}
