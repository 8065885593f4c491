/** A provider's own limits: the documented rate as a token bucket, and what its headers say. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Clock } from "./clock.ts";
import { ProviderFault } from "./fault.ts";
import { createTokenBucket, type Pacer } from "./pace.ts";

export interface RateLimit {
  /** So many requests … */
  readonly requests: number;
  /** … in so many milliseconds. */
  readonly perMs: number;
  /** Requests that may leave at once. 1, the default, spaces them evenly and keeps any window's limit. */
  readonly burst?: number;
  /** How long a 429 without a Retry-After locks us out, in milliseconds (default 1,000). */
  readonly lockoutMs?: number;
  /** A header that counts the weight used in the running minute, and the figure at which to wait. */
  readonly usedWeight?: { readonly header: string; readonly limit: number };
  /** Of these requests, those reserved for the lookups of jobs where collectors share the limit (none). */
  readonly jobs?: number;
}

/** What a request is for, in the order in which they leave; `sample`: further quotes of one that was begun. */
const USES = ["job", "sample", "premium", "impact"] as const;
export type Use = (typeof USES)[number];

/** No header makes us wait longer than this: a wrong one would silence a provider for good. */
const LONGEST_BLOCK_MS = 3_600_000;
const DEFAULT_LOCKOUT_MS = 1_000;
/** Turns that the rate spreads over no more than this are taken one by one. */
const MOMENT_MS = 1_000;
const MINUTE_MS = 60_000;

/** Until when a provider wants to hear of nobody here. */
export interface LockOut {
  until: UnixMs;
  /** Told when it grows. */
  onBlock?(until: number): void;
}

export interface RateGateDeps {
  readonly name: string;
  readonly rate: RateLimit;
  readonly clock: Clock;
  /** The longest lock-out that is waited for, in milliseconds. */
  readonly patienceMs: number;
  /** By the rate, in this process alone, where none is given. */
  readonly pacer?: Pacer;
  /** Shared by the gates of one provider. */
  readonly lockOut?: LockOut;
}

interface Waiter {
  readonly rank: number;
  /** Turns that are wanted, and of them those that leave together with the first. */
  readonly count: number;
  readonly taken: number;
  resolve(turns: Turns): void;
  reject(fault: ProviderFault): void;
}

export type RateGate = ReturnType<typeof createRateGate>;

export function createRateGate(deps: RateGateDeps) {
  const { rate, clock, lockOut = { until: 0 } } = deps;
  const pacer = deps.pacer ?? createTokenBucket(rate.perMs / rate.requests, rate.burst ?? 1, clock);
  const enqueue = createQueue(deps, pacer, lockOut);

  function block(ms: number): number {
    const bounded = Math.min(Math.max(0, ms), LONGEST_BLOCK_MS);
    const until = clock.now() + bounded;
    if (until > lockOut.until) {
      lockOut.until = until;
      lockOut.onBlock?.(until);
    }
    return bounded;
  }

  return {
    /**
     * Waits for a turn, or for several that leave together; by use, and in the order of the calls.
     * @throws ProviderFault `rate_limited` at once when the provider has locked us out for longer than the
     * patience, so that a caller can go on to another provider
     */
    acquire(use: Use = "premium", count: number = 1) {
      const spreadMs = ((count - 1) * rate.perMs) / rate.requests;
      return enqueue(use, count, spreadMs > MOMENT_MS ? count : 1);
    },
    /** Reads the limits that an answer states, at any status. */
    observe(headers: Headers) {
      const resetMs = untilReset(headers, clock.now());
      if (numberIn(headers, "x-ratelimit-remaining") === 0 && resetMs !== null) block(resetMs);
      const used = rate.usedWeight && numberIn(headers, rate.usedWeight.header);
      if (rate.usedWeight && used != null && used >= rate.usedWeight.limit)
        block(MINUTE_MS - (clock.now() % MINUTE_MS));
    },
    /** A 429: no request leaves before its time. @returns milliseconds until then */
    lockOut(headers: Headers) {
      const now = clock.now();
      return block(
        retryAfter(headers, now) ?? untilReset(headers, now) ?? rate.lockoutMs ?? DEFAULT_LOCKOUT_MS,
      );
    },
  };
}

type Enqueue = (use: Use, count: number, taken: number) => Promise<Turns>;

/** Those who wait, served one after the other. */
function createQueue(
  { name, clock, patienceMs }: Pick<RateGateDeps, "name" | "clock" | "patienceMs">,
  pacer: Pacer,
  lockOut: LockOut,
): Enqueue {
  const waiters: Waiter[] = [];
  let serving = false;
  let returned = 0;
  let wake = () => {};
  const givenBack = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const enqueue: Enqueue = (use, count, taken) =>
    new Promise((resolve, reject) => {
      waiters.push({ rank: USES.indexOf(use), count, taken, resolve, reject });
      if (!serving) void serve();
    });
  const giveBack = (count: number) => {
    pacer.giveBack(count);
    returned++;
    wake();
  };

  async function serve(): Promise<void> {
    serving = true;
    for (let next = first(waiters); next !== undefined; next = first(waiters)) {
      const blockedMs = lockOut.until - clock.now();
      const before = returned;
      const waitMs = blockedMs > patienceMs ? blockedMs : Math.max(blockedMs, await pacer.wait(next.taken));
      if (blockedMs > patienceMs || waitMs === Number.POSITIVE_INFINITY) {
        const retryAfterMs = Number.isFinite(waitMs) ? waitMs : patienceMs;
        const fault = new ProviderFault(name, "rate_limited", { retryAfterMs });
        for (const waiter of waiters.splice(0)) waiter.reject(fault);
        break;
      }
      // A more urgent request that came meanwhile leaves first.
      if (first(waiters) !== next || returned !== before) continue;
      if (waitMs > 0) await Promise.race([clock.sleep(Math.ceil(waitMs)), givenBack()]);
      else {
        pacer.take(next.taken);
        waiters.splice(waiters.indexOf(next), 1);
        next.resolve(turnsOf(next, enqueue, giveBack));
      }
    }
    serving = false;
  }

  return enqueue;
}

/** Turns for requests of one moment: the first was waited for. */
export type Turns = ReturnType<typeof turnsOf>;

function turnsOf({ count, taken }: Waiter, enqueue: Enqueue, giveBack: (count: number) => void) {
  let used = 0;
  return {
    /**
     * Of those after the first each waits before all that is less urgent; where the rate would spread them too far, they
     * were waited for together with the first. @returns false: all are used
     */
    async use() {
      if (used >= count) return false;
      if (++used > taken) await enqueue("sample", 1, 1);
      return true;
    },
    /** Gives back those that are left. */
    end() {
      if (used < taken) giveBack(taken - used);
      used = count;
    },
  };
}

/** Of the most urgent use the one that came first. */
function first(waiters: readonly Waiter[]): Waiter | undefined {
  return waiters.reduce<Waiter | undefined>(
    (best, waiter) => (best === undefined || waiter.rank < best.rank ? waiter : best),
    undefined,
  );
}

/** Retry-After in milliseconds: seconds or an HTTP date; null when absent or unreadable. */
export function retryAfter(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after")?.trim();
  if (!text) return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** `x-ratelimit-reset` in milliseconds from now: some send unix seconds, some the seconds that are left. */
function untilReset(headers: Headers, now: number): number | null {
  const reset = numberIn(headers, "x-ratelimit-reset");
  if (reset === null) return null;
  return Math.max(0, reset > 1e9 ? reset * 1_000 - now : reset * 1_000);
}

function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name)?.trim();
  return text && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}
