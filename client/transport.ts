/** One call over HTTP: headers out, JSON in, checked against its schema, failures in one form. */
import { concatBytes } from "@noble/hashes/utils.js";
import type { z } from "zod";
import { orElse } from "../attestor/values/orElse.ts";
import type { UnixMs } from "../attestor/values/time.ts";
import { fieldsOfProblem, PaymentRequired, ServiceError, type ServiceErrorFields } from "./clientErrors.ts";
import { challengeOf, paymentHeader, type Receipt, receiptIn } from "./payment.ts";
import { type Repeatable, type RetryDeps, retryAfterOf, withRetries } from "./retry.ts";

export interface TransportDeps extends RetryDeps {
  /** http or https, without a slash at its end; may have a path. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly jobToken: string | undefined;
  readonly fetch: typeof fetch;
  readonly now: () => UnixMs;
  /** Milliseconds for one attempt, its body included. */
  readonly timeoutMs: number;
}

export interface Call<T> {
  readonly method: "GET" | "POST";
  /** From `/` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Becomes JSON. */
  readonly body?: unknown;
  /** What the answer must be. */
  readonly answer: z.ZodType<T>;
  /** Where no credential is needed, none is sent. */
  readonly auth: "key" | "keyOrJobToken" | "none";
  readonly repeatable: Repeatable;
  /** How long the service may keep the answer, seconds. */
  readonly waitSeconds?: number | undefined;
  /** What a wallet signed, see `paymentHeader`. */
  readonly paymentSignature?: string | object | undefined;
}

export interface Answered<T> {
  readonly value: T;
  /** Of a payment for this answer, when there was one. */
  readonly receipt: Receipt | null;
}

/** A call that only reads. */
export type Get = <T>(
  auth: Call<T>["auth"],
  path: string,
  answer: z.ZodType<T>,
  query?: Call<T>["query"],
) => Promise<T>;

export type Transport = <T>(call: Call<T>) => Promise<Answered<T>>;

/** A year of daily totals takes less than 1 MiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * @returns a function that throws `ServiceError` for every external failure and `PaymentRequired` for a 402. It passes on
 *   errors of the caller's own `fetch`, such as a wallet that will not pay
 */
export function createTransport(deps: TransportDeps): Transport {
  return (call) => withRetries(deps, call.repeatable, () => attempt(deps, call));
}

async function attempt<T>(deps: TransportDeps, call: Call<T>): Promise<Answered<T>> {
  const { response, text } = await exchange(deps, call);
  const { status, headers } = response;
  const answer: unknown = orElse(() => JSON.parse(text), undefined);
  const common = {
    requestId: headers.get("x-request-id"),
    retryAfterSeconds: retryAfterOf(headers.get("retry-after"), deps.now()),
    receipt: receiptIn(headers),
  };
  const unexpected = (detail: string) =>
    new ServiceError({
      ...common,
      status,
      code: "unexpected_answer",
      detail: `${call.method} ${call.path} ${detail}`,
    });

  if (status === 402)
    throw (
      paymentRequired({ ...common, status }, headers, answer) ??
      unexpected("answered 402 without saying how to pay.")
    );
  if (!response.ok) {
    const problem = fieldsOfProblem(status, answer);
    if (problem === null) throw unexpected(`answered ${status} without saying why.`);
    throw new ServiceError({ ...common, ...problem, requestId: problem.requestId ?? common.requestId });
  }
  if (answer === undefined) throw unexpected(`answered ${status} with something other than JSON.`);
  const held = holdAgainst(call.answer, answer);
  if ("misfit" in held)
    throw unexpected(
      `answered in a shape that this client does not know${held.misfit && `, at ${held.misfit}`}.`,
    );
  return { value: held.value, receipt: common.receipt };
}

async function exchange<T>(
  deps: TransportDeps,
  call: Call<T>,
): Promise<{ response: Response; text: string }> {
  const timeoutMs = deps.timeoutMs + (call.waitSeconds ?? 0) * 1_000;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await deps.fetch(urlOf(deps.baseUrl, call), {
      method: call.method,
      headers: headersOf(deps, call),
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      // The service sends nobody elsewhere, and a key must not follow.
      redirect: "manual",
      signal,
    });
    return { response, text: await textOf(response) };
  } catch (cause) {
    const failed = (code: string, detail: string) => new ServiceError({ status: null, code, detail, cause });
    if (signal.aborted)
      throw failed("timeout", `No answer from ${deps.baseUrl} within ${timeoutMs / 1_000} s.`);
    // `fetch` throws nothing else when the network fails.
    if (cause instanceof TypeError) throw failed("unreachable", `No service answers at ${deps.baseUrl}.`);
    throw cause;
  }
}

function urlOf(baseUrl: string, { path, query = {} }: Call<unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `${baseUrl}${path}${search && `?${search}`}`;
}

function headersOf({ apiKey, jobToken }: TransportDeps, call: Call<unknown>): Record<string, string> {
  const { auth, body, paymentSignature } = call;
  const byToken = auth === "keyOrJobToken" && jobToken !== undefined;
  return {
    accept: "application/json, application/problem+json",
    ...(byToken ? { authorization: `Bearer ${jobToken}` } : {}),
    ...(auth !== "none" && !byToken && apiKey !== undefined ? { "x-api-key": apiKey } : {}),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(paymentSignature === undefined
      ? {}
      : { "payment-signature": sendable("paymentSignature", paymentHeader(paymentSignature)) }),
  };
}

/** @throws RangeError that does not repeat the value, as the TypeError of `fetch` would */
export function sendable(name: string, value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new RangeError(`${name} must be printable ASCII without spaces`);
  return value;
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) return "";
    chunks.push(chunk);
  }
  return new TextDecoder().decode(concatBytes(...chunks));
}

function paymentRequired(
  common: Pick<ServiceErrorFields, "requestId" | "retryAfterSeconds" | "receipt"> & { status: number },
  headers: Headers,
  answer: unknown,
): PaymentRequired | null {
  const header = headers.get("payment-required");
  const challenge = challengeOf(header);
  if (header === null || challenge === null) return null;
  const fields = fieldsOfProblem(common.status, answer) ?? {
    code: "payment_required",
    detail: "The service requires payment first.",
  };
  return new PaymentRequired({ ...fields, ...common }, challenge, header);
}

/**
 * The service may add members to its answers. In an object that forbids them (a report's), the answer is returned
 * unchanged: a report without one of its members would have another hash.
 */
function holdAgainst<T>(schema: z.ZodType<T>, answer: unknown): { value: T } | { misfit: string } {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return { value: parsed.data };
  const wrong = parsed.error.issues.find(({ code }) => code !== "unrecognized_keys");
  return wrong === undefined ? { value: answer as T } : { misfit: wrong.path.map(String).join(".") };
}
