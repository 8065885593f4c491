/**
 * The way to every provider: in its turn, within a time and a size, retried, and cut off while the provider is down. An
 * adapter sees either an answer in the provider's shape or a ProviderFault.
 */
import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  isBrokenCircuitError,
  isTaskCancelledError,
  retry,
  TimeoutStrategy,
  timeout,
} from "cockatiel";
import type { z } from "zod";
import { keccak256 } from "../../attestor/evm/hash.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { parseJson, readBody } from "./body.ts";
import { fieldOf, isOutage, isPassing, ProviderFault } from "./fault.ts";
import { type Lane, PATIENCE_MS, type ProviderLimits, type RateLimit, type Turns } from "./limits.ts";
import { announcedPause, demandedPause } from "./pauses.ts";

/** Looks on while requests to providers run: how long, and how they end. */
export interface ProviderWatch {
  /** Runs one attempt: what it returns and throws (a ProviderFault) is its own. */
  attempt<T>(provider: string, run: () => Promise<T>): Promise<T>;
  /** A request that was not sent. @param reason `rate_limited`, `circuit_open` */
  refused(provider: string, reason: string): void;
}

export interface Outcome {
  readonly provider: string;
  /** `ok`, `timeout`, `shape`, `status 503`. */
  readonly kind: string;
}

/** What those who ask providers have. */
export interface HttpDeps {
  readonly fetch: typeof fetch;
  now(): UnixMs;
  readonly limits: ProviderLimits;
  readonly lane: Lane;
  /** For one attempt, body included (10,000). */
  readonly timeoutMs?: number;
  /** In all, the first included (3). */
  readonly attempts?: number;
  readonly watch?: ProviderWatch;
  /** Told how each attempt ended: `ok`, or the fault's code. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** What is asked, by whose rules. */
export interface Endpoint {
  /** Used in faults and statements. */
  readonly name: string;
  /** A path prefix is kept: paths are appended to it. */
  readonly baseUrl: string;
  readonly rate: RateLimit;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further headers of one attempt, for providers whose requests are signed with their time. */
  readonly sign?: (request: SignedParts) => Readonly<Record<string, string>>;
  /** Decoded bytes of an answer (8 MiB). */
  readonly maxBytes?: number;
}

/** What a provider's signature is made over. */
export interface SignedParts {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Empty for a GET. */
  readonly body: string;
  readonly atMs: UnixMs;
}

export interface HttpAnswer<T> {
  readonly data: T;
  /** keccak256 of the body as it came, decoded from its transfer compression. */
  readonly rawHash: string;
  /** Unix seconds, of the moment when the body was complete. */
  readonly receivedAt: number;
}

export interface RequestOptions<T> {
  /**
   * Reads an answer that the provider gives with an error status, such as "no route"; undefined when it
   * is none. The body is not validated.
   */
  readonly refusal?: (status: number, body: unknown) => T | undefined;
  /** Turns for requests of one moment: the first attempt takes one. */
  readonly turns?: Turns | undefined;
}

const TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 10_000;
const OUTAGES_THAT_OPEN = 5;
const OPEN_MS = 30_000;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_REDIRECTS = 3;

export type Http = ReturnType<typeof createHttp>;

export function createHttp(endpoint: Endpoint, deps: HttpDeps) {
  const { name, rate } = endpoint;
  const { limits, lane, watch, onOutcome } = deps;
  const { again, breaker, inTime } = policiesOf(deps);

  /** Waits for the turn of a request. */
  async function admitted(turns: Turns | undefined): Promise<void> {
    try {
      if (!(await turns?.take())) await limits.turns(name, rate, lane, 1).take();
      // The circuit may have opened meanwhile.
      if (breaker.state === CircuitState.Open) throw new ProviderFault(name, "circuit_open");
    } catch (error) {
      if (error instanceof ProviderFault) watch?.refused(name, error.code);
      throw error;
    }
  }

  async function request<T>(
    path: string,
    init: RequestInit,
    schema: z.ZodType<T>,
    { refusal, turns }: RequestOptions<T> = {},
  ): Promise<HttpAnswer<T>> {
    const url = new URL(endpoint.baseUrl.replace(/\/$/, "") + path);
    const ask = (signal: AbortSignal) =>
      received(endpoint, deps, url, { ...init, signal }, refusal !== undefined);
    const attempt = async (): Promise<HttpAnswer<T>> => {
      const body = await inTime
        .execute(({ signal }) => ask(signal))
        .catch((error: unknown) => {
          throw faultOf(name, error);
        });
      return read(endpoint, deps, body, schema, refusal);
    };
    const watched = async (): Promise<HttpAnswer<T>> => {
      await admitted(turns);
      return await (watch ? watch.attempt(name, attempt) : attempt());
    };
    // Each attempt is told, also one that the open circuit does not let out.
    const reported = async (): Promise<HttpAnswer<T>> => {
      try {
        const answer = await breaker.execute(watched);
        onOutcome?.({ provider: name, kind: "ok" });
        return answer;
      } catch (error) {
        const isCutOff = isBrokenCircuitError(error);
        const fault = isCutOff ? new ProviderFault(name, "circuit_open") : error;
        if (isCutOff) watch?.refused(name, "circuit_open");
        if (fault instanceof ProviderFault) onOutcome?.({ provider: name, kind: kindOf(fault) });
        throw fault;
      }
    };
    return await again.execute(reported);
  }

  return {
    name,
    /** @throws ProviderFault */
    getJson: <T>(path: string, schema: z.ZodType<T>, more?: RequestOptions<T>) =>
      request(path, { method: "GET" }, schema, more),
    /** @throws ProviderFault */
    postJson: <T>(path: string, given: unknown, schema: z.ZodType<T>, more?: RequestOptions<T>) => {
      const [body, headers] = [JSON.stringify(given), { "content-type": "application/json" }];
      return request(path, { method: "POST", body, headers }, schema, more);
    },
    /** Turns for so many requests of one moment. */
    turns: (count: number): Turns => limits.turns(name, rate, lane, count),
  };
}

const policiesOf = ({ attempts = ATTEMPTS, timeoutMs = TIMEOUT_MS }: HttpDeps) => ({
  again: retry(handleWhen(mayPass), {
    maxAttempts: attempts - 1,
    backoff: new ExponentialBackoff({ initialDelay: FIRST_BACKOFF_MS, maxDelay: LONGEST_BACKOFF_MS }),
  }),
  breaker: circuitBreaker(handleWhen(isOutage), {
    breaker: new ConsecutiveBreaker(OUTAGES_THAT_OPEN),
    halfOpenAfter: OPEN_MS,
  }),
  // Also of an injected fetch that does not listen to its signal.
  inTime: timeout(timeoutMs, TimeoutStrategy.Aggressive),
});

const kindOf = ({ code, status }: ProviderFault): string => (code === "status" ? `status ${status}` : code);

/** A lock-out that is longer than anybody waits is left to the caller, who may go on to another provider. */
const mayPass = (error: unknown): boolean =>
  isPassing(error) && ((error as ProviderFault).retryAfterMs ?? 0) <= PATIENCE_MS;

function faultOf(provider: string, error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error;
  return new ProviderFault(provider, isTaskCancelledError(error) ? "timeout" : "network");
}

interface Body {
  readonly status: number;
  readonly raw: Uint8Array;
}

/** Asks, and reads to the end. @param readsRefusals whether an answer with an error status is of interest */
async function received(
  endpoint: Endpoint,
  deps: HttpDeps,
  url: URL,
  init: RequestInit,
  readsRefusals: boolean,
): Promise<Body> {
  const { name, rate } = endpoint;
  const { now, limits } = deps;
  const response = await send(endpoint, deps, url, init);
  const { status, headers } = response;
  const announced = announcedPause(headers, rate, now());
  if (status === 429 || status === 418) {
    await response.body?.cancel().catch(() => {});
    const pauseMs = demandedPause(headers, rate, now());
    throw new ProviderFault(name, "rate_limited", { status, retryAfterMs: limits.lockOut(name, pauseMs) });
  }
  if (announced !== null) limits.lockOut(name, announced);
  if (!response.ok && !readsRefusals) {
    await response.body?.cancel().catch(() => {});
    throw new ProviderFault(name, "status", { status });
  }
  return { status, raw: await readBody(name, response, endpoint.maxBytes ?? MAX_BYTES) };
}

/** @throws ProviderFault for what is no answer in the provider's shape */
function read<T>(
  { name }: Endpoint,
  { now }: HttpDeps,
  { status, raw }: Body,
  schema: z.ZodType<T>,
  refusal: RequestOptions<T>["refusal"],
): HttpAnswer<T> {
  const body = parseJson(raw);
  const rawHash = keccak256(raw);
  const receivedAt = Math.floor(now() / 1_000);
  if (status < 200 || status >= 300) {
    const refused = body ? refusal?.(status, body.value) : undefined;
    if (refused === undefined) throw new ProviderFault(name, "status", { status });
    return { data: refused, rawHash, receivedAt };
  }
  if (!body) throw new ProviderFault(name, "not_json", { status, rawHash });
  const parsed = schema.safeParse(body.value);
  if (!parsed.success)
    throw new ProviderFault(name, "shape", { status, rawHash, field: fieldOf(parsed.error) });
  return { data: parsed.data, rawHash, receivedAt };
}

/** Follows redirects within the origin alone: a key must not travel to another host. */
async function send(
  { headers, sign }: Endpoint,
  deps: HttpDeps,
  url: URL,
  init: RequestInit,
): Promise<Response> {
  let target = url;
  for (let hops = 0; ; hops++) {
    const signed = sign?.({
      method: init.method ?? "GET",
      path: target.pathname + target.search,
      body: typeof init.body === "string" ? init.body : "",
      atMs: deps.now(),
    });
    const allHeaders = { accept: "application/json", ...headers, ...signed, ...init.headers };
    const response = await deps.fetch(target, { ...init, headers: allHeaders, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || !location || init.method !== "GET")
      return response;
    const next = URL.canParse(location, target.href) ? new URL(location, target) : null;
    if (next?.origin !== url.origin || hops >= MAX_REDIRECTS) return response;
    await response.body?.cancel();
    target = next;
  }
}
