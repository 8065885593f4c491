/** The errors that clients receive: RFC 9457 `application/problem+json`. */
import { z } from "zod";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";
import { DatabaseOverloaded, isDatabaseUnavailable } from "../../database/errors.ts";

/** Every code of the service, with its HTTP status and title. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: "The request is invalid" },
  input_required: { status: 400, title: "Input is required" },
  bad_symbol: { status: 400, title: "The symbol is invalid" },
  window_too_long: { status: 400, title: "The window is too long" },
  window_too_old: { status: 400, title: "The window begins too early" },
  missing_api_key: { status: 401, title: "An API key is missing" },
  payment_required: { status: 402, title: "Payment is required" },
  invalid_api_key: { status: 403, title: "The API key is invalid" },
  revoked_api_key: { status: 403, title: "The API key was revoked" },
  key_pending_approval: { status: 403, title: "The API key awaits approval" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  request_timeout: { status: 408, title: "The request did not arrive in time" },
  idempotency_conflict: { status: 409, title: "The identifier is already used by another request" },
  payment_in_progress: { status: 409, title: "A payment is being settled" },
  job_expired: { status: 410, title: "The job has expired" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The media type is not supported" },
  unsupported_asset: { status: 422, title: "The asset is not supported" },
  unknown_policy: { status: 422, title: "The policy is unknown" },
  limit_too_wide: { status: 422, title: "A limit is wider than the policy's bound" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Internal error" },
  unavailable: { status: 503, title: "The service is unavailable" },
  overloaded: { status: 503, title: "The service has too much to do" },
  upstream_unavailable: { status: 503, title: "An upstream service is unavailable" },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export interface FieldError {
  /** Dotted path into the input, such as `intent.amountInRaw`; empty for the whole of it. */
  readonly path: string;
  readonly message: string;
}

export interface ProblemOptions {
  readonly errors?: readonly FieldError[];
  /** Members beyond the common ones, such as `schema` and `example`. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Becomes the header `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

export const ProblemBody = z
  .looseObject({
    type: z.string().describe("urn:assay:problem:<code>"),
    title: z.string(),
    status: z.int().describe("The HTTP status"),
    detail: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    requestId: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    limit: z
      .object({
        name: z.string().describe("As RateLimit-Policy names it"),
        quota: z.int().describe("Requests that the limit allows in its window"),
        windowSeconds: z
          .int()
          .nullable()
          .describe("Its window in seconds; null: a limit of what is open at a time"),
        scope: z
          .enum(["key", "job", "address", "network", "process"])
          .describe("Whose requests count together; `process`: those of all callers"),
      })
      .optional()
      .describe("With `rate_limited`: the limit that was hit"),
  })
  .meta({ id: "Problem" });
export type ProblemBody = z.infer<typeof ProblemBody>;

// Input comes back in messages (names of unknown members, say), but never at length.
const MAX_ERRORS = 20;
const MAX_TEXT = 300;

function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Throw it anywhere below a route: the client sees it as it is. `detail` is for the client to read. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(short(detail), { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.errors = options.errors
      ?.slice(0, MAX_ERRORS)
      .map(({ path, message }) => ({ path: short(path), message: short(message) }));
    this.members = options.members ?? {};
    this.headers = {
      ...(options.retryAfterSeconds === undefined
        ? {}
        : { "Retry-After": String(Math.max(1, Math.ceil(options.retryAfterSeconds))) }),
      ...options.headers,
    };
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }

  body(requestId: string): ProblemBody {
    return {
      type: `urn:assay:problem:${this.code}`,
      title: PROBLEMS[this.code].title,
      status: this.status,
      detail: this.message,
      code: this.code,
      requestId,
      ...(this.errors ? { errors: [...this.errors] } : {}),
      ...this.members,
    };
  }
}

/** `invalid_request` that names each field which a schema refused. */
function problemOfZod(error: z.core.$ZodError): Problem {
  return new Problem("invalid_request", "the input is not valid; see errors", { errors: fieldErrors(error) });
}

/** What a schema makes of an input. @throws Problem `invalid_request` */
export function accept<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value, { error: messageOf });
  if (!parsed.success) throw problemOfZod(parsed.error);
  return parsed.data;
}

function fieldErrors(error: z.core.$ZodError): FieldError[] {
  return error.issues.map((issue) => ({ path: issue.path.map(String).join("."), message: issue.message }));
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};

/**
 * What is said of a field whose schema has no message of its own: Zod's "expected string, received undefined" is no help
 * to a client that has no such types.
 * @returns undefined: as Zod says it
 */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, input } = issue;
  if (input === undefined) return "is missing";
  if (code === "invalid_type") return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
  if (code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (code === "too_small")
    return outOfBounds(
      issue.origin,
      issue.inclusive === false ? "more than" : "at least",
      Number(issue.minimum),
    );
  if (code === "too_big")
    return outOfBounds(
      issue.origin,
      issue.inclusive === false ? "less than" : "at most",
      Number(issue.maximum),
    );
  if (code === "unrecognized_keys") return `has members that are not known: ${issue.keys.join(", ")}`;
  return undefined;
}

function outOfBounds(origin: string, bound: string, limit: number): string {
  if (origin === "string") return `must have ${bound} ${limit} ${limit === 1 ? "character" : "characters"}`;
  if (origin === "array") return `must have ${bound} ${limit} ${limit === 1 ? "item" : "items"}`;
  return `must be ${bound} ${limit}`;
}

const RETRY_DATABASE_SECONDS = 5;
const RETRY_OVERLOADED_SECONDS = 2;

const because = (reason: string | null) => (reason === null ? "" : `: ${reason}`);

/**
 * The problem that any thrown thing is to the client. What is not known becomes `internal`, whose text
 * says nothing of the cause: that belongs to the log.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof z.core.$ZodError) return problemOfZod(error);
  if (error instanceof DatabaseOverloaded)
    return new Problem("overloaded", "the service has more to do at the moment than it can", {
      retryAfterSeconds: RETRY_OVERLOADED_SECONDS,
      cause: error,
    });
  if (isDatabaseUnavailable(error))
    return new Problem("unavailable", `the database is unavailable at the moment${because(error.reason)}`, {
      retryAfterSeconds: RETRY_DATABASE_SECONDS,
      cause: error,
    });
  if (error instanceof UpstreamUnavailable)
    return new Problem("upstream_unavailable", "an upstream service does not answer at the moment", {
      retryAfterSeconds: error.retryAfterSeconds,
      cause: error,
    });
  return problemOfHttp(error) ?? new Problem("internal", "the service failed", { cause: error });
}

const OF_STATUS: Readonly<Record<number, readonly [ProblemCode, string]>> = {
  400: ["invalid_request", "the request cannot be read"],
  413: ["body_too_large", "a body may be up to 64 KiB"],
  415: ["unsupported_media_type", "send application/json in UTF-8, not compressed"],
};

/** Errors of Express and its body reader carry a `status`. */
function problemOfHttp(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  const [code, detail = ""] = OF_STATUS[Number(error.status)] ?? [];
  return code && new Problem(code, detail, { cause: error });
}
