/**
 * How often providers are asked. Collectors and the lookups of jobs divide a documented limit, so that neither waits for
 * the other:
 *
 * - Collectors, of which one process at a time runs, space their requests evenly, by at most 0.7 of the limit.
 * - Jobs take the rest at once. Processes count them together in PostgreSQL, each its own on SQLite.
 *
 * Together they keep the limit in any window of its length, wherever it begins.
 */
import type pg from "pg";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { ProviderFault } from "./fault.ts";

export interface RateLimit {
  /** So many requests in so many milliseconds. */
  readonly requests: number;
  readonly perMs: number;
  /** The collectors' part of them, 0.7 at most and where it is left out; 0: jobs alone ask. */
  readonly collectors?: number;
  /** How long a 429 without a Retry-After locks us out (1,000). */
  readonly lockoutMs?: number;
  /** A header that counts the weight used in the running minute, and the figure at which to wait. */
  readonly usedWeight?: { readonly header: string; readonly limit: number };
}

export type Lane = "jobs" | "collecting";

/** Turns for requests of one moment. */
export interface Turns {
  /** Waits for the first of them, and does not take it. @throws ProviderFault `rate_limited` */
  begin(): Promise<void>;
  /** Waits for the next of them. @returns false: all were taken @throws ProviderFault `rate_limited` */
  take(): Promise<boolean>;
  /** Gives back those that are left. */
  end(): void;
}

export interface ProviderLimits {
  /** @param rate of the provider */
  turns(provider: string, rate: RateLimit, lane: Lane, count: number): Turns;
  /** Nobody asks the provider for so long. @returns milliseconds, which are bounded */
  lockOut(provider: string, ms: number): number;
}

/** For a server of one's own, which nobody limits. */
export const UNLIMITED: ProviderLimits = {
  turns: (_provider, _rate, _lane, count) => counted(count, async () => {}),
  lockOut: (_provider, ms) => ms,
};

const MOST_FOR_COLLECTORS = 0.7;
/** A longer lock-out or wait is a fault at once, so that a caller can go on to another provider. */
export const PATIENCE_MS = 30_000;
/** No header locks us out for longer: a wrong one would silence a provider for good. */
const LONGEST_LOCK_OUT_MS = 3_600_000;
/** Requests of one moment that the rate would spread further leave together. */
const MOMENT_MS = 1_000;

/** Whether collectors ask a provider at all. */
export const isCollected = ({ collectors }: RateLimit): boolean => collectors !== 0;

const partOf = ({ collectors = MOST_FOR_COLLECTORS }: RateLimit) => Math.min(collectors, MOST_FOR_COLLECTORS);

/** @param shared where processes count the requests of jobs together: a database with the table `rate_limits` */
export function createLimits(shared?: pg.Pool): ProviderLimits {
  const pacers = new Map<string, Pacer>();
  const counters = new Map<string, RateLimiterAbstract>();
  const lockedUntil = new Map<string, number>();

  const assertPatient = (provider: string, ms: number) => {
    if (ms > PATIENCE_MS) throw new ProviderFault(provider, "rate_limited", { retryAfterMs: ms });
  };
  const lockedFor = (provider: string) => (lockedUntil.get(provider) ?? 0) - performance.now();

  const reserve = (provider: string, pacer: Pacer, wanted: number) =>
    pacer.reserve(wanted, lockedUntil.get(provider) ?? 0);

  /** Waits until the moment, or another one where the provider has locked us out meanwhile. */
  async function reach(provider: string, pacer: Pacer, moment: number): Promise<void> {
    for (let at = moment; ; at = reserve(provider, pacer, 1)) {
      assertPatient(provider, lockedFor(provider));
      await sleep(at - performance.now());
      if (lockedFor(provider) <= 0) return;
    }
  }

  async function count(provider: string, counter: RateLimiterAbstract): Promise<void> {
    for (;;) {
      assertPatient(provider, lockedFor(provider));
      await sleep(lockedFor(provider));
      const over = await counter.consume(provider).then(() => null, refusalOf);
      if (over === null) return;
      assertPatient(provider, over.msBeforeNext);
      await sleep(over.msBeforeNext);
    }
  }

  return {
    turns(provider, rate, lane, wanted) {
      const key = `${provider} ${rate.requests} ${rate.perMs}`;
      if (lane === "jobs") {
        const counter = counters.get(key) ?? counterOf(rate, shared);
        counters.set(key, counter);
        return counted(wanted, () => count(provider, counter));
      }
      if (!isCollected(rate)) throw new Error(`${provider} has no requests for collectors`);
      const pacer = pacers.get(key) ?? createPacer(rate.perMs / (rate.requests * partOf(rate)));
      pacers.set(key, pacer);
      return paced(pacer, wanted, {
        reserve: () => reserve(provider, pacer, wanted),
        reach: (at) => reach(provider, pacer, at),
      });
    },
    lockOut(provider, ms) {
      const bounded = Math.min(Math.max(0, ms), LONGEST_LOCK_OUT_MS);
      lockedUntil.set(provider, Math.max(lockedUntil.get(provider) ?? 0, performance.now() + bounded));
      // A process that misses this learns it from a 429 of its own.
      for (const [key, counter] of counters)
        if (key.startsWith(`${provider} `)) void counter.block(provider, bounded / 1_000).catch(() => {});
      return bounded;
    },
  };
}

/** A third of the jobs' part in each half of the window: any whole one meets three halves at most. */
function counterOf(rate: RateLimit, shared?: pg.Pool): RateLimiterAbstract {
  const options = {
    points: Math.max(1, Math.floor((rate.requests * (1 - partOf(rate))) / 3)),
    duration: rate.perMs / 2 / 1_000,
    keyPrefix: "provider",
  };
  const memory = new RateLimiterMemory(options);
  if (shared === undefined) return memory;
  return new RateLimiterPostgres({
    ...options,
    storeClient: shared,
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    // While the database is away each process counts its own.
    insuranceLimiter: memory,
  });
}

function refusalOf(error: unknown): RateLimiterRes {
  if (error instanceof RateLimiterRes) return error;
  throw error;
}

type Pacer = ReturnType<typeof createPacer>;

/** Moments that are evenly apart, each given once. */
function createPacer(spacingMs: number) {
  let next = 0;
  let spare = 0;
  return {
    spacingMs,
    /** @returns the first of so many moments, not before `earliest` */
    reserve(wanted: number, earliest: number): number {
      const reused = Math.min(spare, wanted);
      spare -= reused;
      const now = Math.max(performance.now(), earliest);
      const from = reused === wanted ? now : Math.max(now, next);
      if (reused < wanted) next = from + (wanted - reused) * spacingMs;
      return from;
    },
    giveBack(unused: number): void {
      spare += unused;
    },
  };
}

/** Turns whose moments are reserved with the first, so that nobody comes between them. */
function paced(
  { spacingMs, giveBack }: Pacer,
  wanted: number,
  { reserve, reach }: { reserve(): number; reach(moment: number): Promise<void> },
): Turns {
  const apartMs = (wanted - 1) * spacingMs > MOMENT_MS ? 0 : spacingMs;
  let from: number | undefined;
  let begun: Promise<void> | undefined;
  let taken = 0;
  const begin = (): Promise<void> => {
    from ??= reserve();
    begun ??= reach(from);
    return begun;
  };
  return {
    begin,
    async take() {
      if (taken >= wanted) return false;
      const turn = taken++;
      await begin();
      if (turn > 0) await reach((from ?? 0) + turn * apartMs);
      return true;
    },
    end() {
      if (from !== undefined) giveBack(wanted - taken);
      taken = wanted;
    },
  };
}

function counted(wanted: number, each: () => Promise<void>): Turns {
  let taken = 0;
  return {
    begin: async () => {},
    async take() {
      if (taken >= wanted) return false;
      taken++;
      await each();
      return true;
    },
    end() {
      taken = wanted;
    },
  };
}

const sleep = (ms: number) =>
  ms > 0 ? new Promise<void>((wake) => setTimeout(wake, Math.ceil(ms))) : undefined;
