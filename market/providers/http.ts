/**
 * The way to every upstream: paced, timed, bounded, retried, and cut off while it is down. An adapter
 * sees either an answer in the provider's shape or a ProviderFault.
 */
import {
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  isBrokenCircuitError,
} from "cockatiel";
import type { z } from "zod";
import { attemptOnce } from "./attempt.ts";
import type { Budgets } from "./budgets.ts";
import { type Clock, systemClock, systemRandom } from "./clock.ts";
import { isOutage, isPassing, ProviderFault } from "./fault.ts";
import { createRateGate, type Turns, type Use } from "./rate.ts";
import type { Answer, RequestOptions, UpstreamOptions } from "./request.ts";

/** What every adapter takes: the boundary of the process, and where to find the provider. */
export type ProviderDeps = Pick<UpstreamOptions, "fetch" | "use" | "onOutcome" | "watch" | "onAnswer"> &
  Partial<Pick<UpstreamOptions, "clock" | "random" | "baseUrl" | "timeoutMs">> & {
    /** Of the provider, where it takes one. */
    readonly apiKey?: string;
    /** Requests a minute, in place of the documented rate. */
    readonly limit?: number;
    /** What all who ask the providers share; without them an adapter has a provider's whole limit. */
    readonly budgets?: Budgets;
  };

export type Upstream = ReturnType<typeof createUpstream>;

const OUTAGES_THAT_OPEN = 5;
const OPEN_MS = 30_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 10_000;
const DEFAULT_PATIENCE_MS = 30_000;
const DEFAULT_TIMEOUT_MS = 10_000;

/** An adapter's upstream: its own figures, and what the caller set otherwise. */
export function providerUpstream(
  own: Pick<UpstreamOptions, "name" | "baseUrl" | "rate" | "headers" | "sign">,
  deps: ProviderDeps,
): Upstream {
  const { use = "premium", budgets } = deps;
  return createUpstream({
    ...own,
    use,
    gate: budgets?.gateOf(own.name, own.rate, use),
    baseUrl: deps.baseUrl ?? own.baseUrl,
    timeoutMs: deps.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    fetch: deps.fetch,
    clock: deps.clock ?? systemClock,
    random: deps.random ?? systemRandom,
    onAnswer: deps.onAnswer,
    onOutcome: deps.onOutcome,
    watch: deps.watch,
  });
}

export function createUpstream(options: UpstreamOptions) {
  const patienceMs = options.patienceMs ?? DEFAULT_PATIENCE_MS;
  const { name, rate, clock } = options;
  const gate = options.gate ?? createRateGate({ name, rate, clock, patienceMs });
  const breaker = createBreaker(options.clock);
  const watched = <T>(attempt: () => Promise<T>) =>
    options.watch ? options.watch.attempt(name, attempt) : attempt();

  async function request<T>(
    path: string,
    init: RequestInit,
    schema: z.ZodType<T>,
    more: RequestOptions<T> = {},
  ): Promise<Answer<T>> {
    const url = new URL(options.baseUrl.replace(/\/$/, "") + path);
    for (let attempt = 1; ; attempt++) {
      let sent = false;
      try {
        return await breaker.execute(async () => {
          if (attempt > 1 || !(await more.turns?.use())) await gate.acquire(options.use);
          // The circuit may have opened while this call waited for its turn.
          if (breaker.state === CircuitState.Open) throw new ProviderFault(options.name, "circuit_open");
          sent = true;
          const answer = await watched(() => attemptOnce(options, gate, url, init, schema, more));
          options.onOutcome?.({ provider: options.name, kind: "ok" });
          return answer;
        });
      } catch (error) {
        const fault = asFault(options.name, error);
        options.onOutcome?.({ provider: options.name, kind: kindOf(fault) });
        if (!sent) options.watch?.refused(name, fault.code);
        const lockedOut = fault.code === "rate_limited" && (fault.retryAfterMs ?? 0) > patienceMs;
        if (attempt >= (options.attempts ?? 3) || lockedOut || !isPassing(fault)) throw fault;
        await options.clock.sleep(backoffMs(attempt, options.random()));
      }
    }
  }

  return {
    name: options.name,
    /** @throws ProviderFault */
    getJson: <T>(path: string, schema: z.ZodType<T>, more?: RequestOptions<T>) =>
      request(path, { method: "GET" }, schema, more),
    /** @throws ProviderFault */
    postJson: <T>(path: string, given: unknown, schema: z.ZodType<T>, more?: RequestOptions<T>) => {
      const [body, headers] = [JSON.stringify(given), { "content-type": "application/json" }];
      return request(path, { method: "POST", body, headers }, schema, more);
    },
    /** Turns for requests of one moment. @throws ProviderFault as a request */
    turns: async (count: number, use: Use): Promise<Turns> => {
      try {
        if (breaker.state === CircuitState.Open) throw new ProviderFault(name, "circuit_open");
        return await gate.acquire(use, count);
      } catch (error) {
        if (error instanceof ProviderFault) options.watch?.refused(name, error.code);
        throw error;
      }
    },
  };
}

function kindOf({ code, status }: ProviderFault): string {
  return code === "status" ? `status ${status}` : code;
}

/** Exponential with full jitter over its upper half, so that callers that failed together come apart. */
function backoffMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/** Cockatiel reads the wall clock; a duration that is worked out when asked follows ours instead. */
function createBreaker(clock: Clock): CircuitBreakerPolicy {
  const openFor = () => {
    const openedAt = clock.now();
    return {
      get duration() {
        return clock.now() - openedAt >= OPEN_MS ? 0 : Number.POSITIVE_INFINITY;
      },
      next: openFor,
    };
  };
  return circuitBreaker(handleWhen(isOutage), {
    breaker: new ConsecutiveBreaker(OUTAGES_THAT_OPEN),
    halfOpenAfter: { next: openFor },
  });
}

function asFault(provider: string, error: unknown): ProviderFault {
  if (error instanceof ProviderFault) return error;
  if (isBrokenCircuitError(error)) return new ProviderFault(provider, "circuit_open");
  // Not the provider's doing: a programming error must not look like one.
  throw error;
}
