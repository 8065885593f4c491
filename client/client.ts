/**
 * Read this first: every call of the data API and the verification API as a typed function. Answers are parsed by
 * the schemas that the service itself validates with; every failure outside is a `ServiceError`.
 */
import { z } from "zod";
import { AssetsAnswer, InputDescription, PoliciesAnswer } from "../api/jobs/catalog.ts";
import {
  Execution,
  Job,
  type JobBody,
  type PrepareBody,
  Prepared,
  StoredReport,
  type VerifyBody,
  VerifyReport,
} from "../api/jobs/schemas.ts";
import { type KeyApplication, PendingKey } from "../api/keys/schemas.ts";
import type { Report } from "../attestor/report.ts";
import { dataCalls, type Get } from "./data.ts";
import { ServiceError } from "./errors.ts";
import type { Receipt } from "./payment.ts";
import { createTransport, sendable } from "./transport.ts";

export type { PremiumQuery } from "./data.ts";
export { PaymentRequired } from "./errors.ts";
export type { PaymentChallenge, PaymentRequirements, Receipt } from "./payment.ts";
export { ServiceError };

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
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Milliseconds for one attempt (30,000). */
  readonly timeoutMs?: number;
  /** How often a call that may be repeated is repeated at most (2). */
  readonly retries?: number;
  /** Milliseconds that one call may wait between attempts, in sum (30,000). */
  readonly patienceMs?: number;
}

/** A payment for the call, signed by the user's wallet over one of `PaymentRequired`'s `challenge.accepts`. */
export interface Payable {
  /** The header's text, or the JSON that it encodes. */
  readonly paymentSignature?: string | object;
}

/** `receipt` is that of the payment for this very answer, or null. */
export interface Bought {
  readonly receipt: Receipt | null;
}

const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
const VerifyExample = InputDescription.omit({ description: true });
const DEFAULTS = { timeoutMs: 30_000, retries: 2, patienceMs: 30_000 };

/**
 * Calls that only read, and those that the service knows again (`createJob` by `clientRequestId`, `submit` by the
 * hash, `verify` by its payment), are repeated after 429, 503 and broken connections, as Retry-After says. `prepare`
 * is repeated after 429, and after 503 with Retry-After; `verify` without payment and `applyForKey` after a 429 alone.
 * @throws RangeError for a base URL, a key or a token that cannot be one
 */
export function createClient(options: ClientOptions) {
  const { apiKey, jobToken } = options;
  const send = createTransport({
    baseUrl: baseUrlOf(options.baseUrl),
    apiKey: apiKey === undefined ? undefined : sendable("apiKey", apiKey),
    jobToken: jobToken === undefined ? undefined : sendable("jobToken", jobToken),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    now: options.now ?? (() => Date.now()),
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    retries: options.retries ?? DEFAULTS.retries,
    patienceMs: options.patienceMs ?? DEFAULTS.patienceMs,
  });
  const get: Get = async (auth, path, answer, query = {}) =>
    (await send({ method: "GET", path, query, answer, auth, repeatable: "always" })).value;

  return {
    /** The data API: tokens, liquidity, premium, totals, basis. */
    data: dataCalls(get),

    /** What can be verified, with version and hash of the registry. */
    assets: () => get("key", "/v1/assets", AssetsAnswer),
    /** What a trade can be judged by. */
    policies: () => get("key", "/v1/policies", PoliciesAnswer),

    /** The same body under the same `clientRequestId` answers the same job. */
    createJob: async (body: z.input<typeof JobBody>): Promise<Job> =>
      (await send({ method: "POST", path: "/v1/jobs", body, answer: Job, auth: "key", repeatable: "always" }))
        .value,
    job: (jobId: string) => get("keyOrJobToken", jobPath(jobId), Job),
    /**
     * Without its execution a report is signed by nobody: see `verifyReport` of the attestor.
     * @param options version: the latest otherwise
     * @returns with the execution that was prepared and signed with that version, where one was
     * @throws PaymentRequired until the job is paid
     */
    async report(
      jobId: string,
      { version, paymentSignature }: Payable & { version?: number } = {},
    ): Promise<{ report: Report; execution?: PreparedExecution } & Bought> {
      const { value, receipt } = await send({
        method: "GET",
        path: jobPath(jobId, "/report"),
        query: { version },
        answer: StoredReport,
        auth: "keyOrJobToken",
        // One authorization pays once, however often it is sent.
        repeatable: "always",
        paymentSignature,
      });
      const { execution, ...report } = value;
      return { report, ...(execution === undefined ? {} : { execution }), receipt };
    },
    /**
     * Verifies again; `prepared.execution` is null when the trade is denied. Two calls in five minutes.
     * @throws PaymentRequired until the job is paid
     */
    async prepare(
      jobId: string,
      { paymentSignature, ...body }: Payable & z.input<typeof PrepareBody> = {},
    ): Promise<{ prepared: Prepared } & Bought> {
      const { value, receipt } = await send({
        method: "POST",
        path: jobPath(jobId, "/prepare-execution"),
        body,
        answer: Prepared,
        auth: "keyOrJobToken",
        // A 503 is the log's, the chain's or the database's: nothing was certified, and no call of the limit is gone.
        repeatable: "answered",
        paymentSignature,
      });
      return { prepared: value, receipt };
    },
    /** Records a transaction hash; follow it with `job`. */
    submit: async (jobId: string, transactionHash: string): Promise<Execution> =>
      (
        await send({
          method: "POST",
          path: jobPath(jobId, "/submissions"),
          body: { transactionHash },
          answer: Execution,
          auth: "keyOrJobToken",
          repeatable: "always",
        })
      ).value,

    /**
     * What `verify` takes, in words, as a schema and with an example.
     * @throws PaymentRequired in the paid phase, with the price; `verifyInput` answers in both
     */
    describeVerify: () => get("none", "/a2mcp/verify", InputDescription),
    /** JSON Schema and an example of what `verify` takes, in both phases: the service tells it to an empty body. */
    async verifyInput(): Promise<z.infer<typeof VerifyExample>> {
      const call = { method: "POST", path: "/a2mcp/verify", auth: "none", repeatable: "always" } as const;
      try {
        return (await send({ ...call, answer: VerifyExample })).value;
      } catch (error) {
        const told = error instanceof ServiceError && error.code === "input_required";
        const parsed = VerifyExample.safeParse(told ? error.members : undefined);
        if (!parsed.success) throw error;
        return parsed.data;
      }
    },
    /**
     * One-shot verification without a key; the report's `jobToken` opens its job.
     * @throws PaymentRequired in the paid phase
     */
    async verify(
      body: z.input<typeof VerifyBody>,
      { paymentSignature }: Payable = {},
    ): Promise<{ report: VerifiedReport } & Bought> {
      const { value, receipt } = await send({
        method: "POST",
        path: "/a2mcp/verify",
        body,
        answer: VerifyReport,
        auth: "none",
        // The same payment gets the same report; without one every call makes a job.
        repeatable: paymentSignature === undefined ? "refused" : "always",
        paymentSignature,
      });
      return { report: value, receipt };
    },

    /** The OpenAPI 3.1 document of both APIs, as plain JSON. */
    openapi: () => get("none", "/openapi.json", OpenApiDocument),

    /** Applies for an API key, which works once an admin has approved it. */
    applyForKey: async (application: z.input<typeof KeyApplication>): Promise<PendingKey> =>
      (
        await send({
          method: "POST",
          path: "/api/v1/keys",
          body: application,
          answer: PendingKey,
          auth: "none",
          repeatable: "refused",
        })
      ).value,
  };
}

/** What a wallet acts on, with the certificate that allows it. */
export type PreparedExecution = NonNullable<Prepared["execution"]>;

export type Client = ReturnType<typeof createClient>;
export type VerifiedReport = z.infer<typeof VerifyReport>;

function jobPath(jobId: string, rest = ""): string {
  return `/v1/jobs/${encodeURIComponent(jobId)}${rest}`;
}

function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new RangeError("baseUrl must be an http or https URL without query");
  if (url.username !== "" || url.password !== "")
    throw new RangeError("baseUrl must not carry credentials: give apiKey or jobToken");
  return url.href.replace(/\/+$/, "");
}
