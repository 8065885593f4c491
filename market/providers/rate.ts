/** A provider's own limits: the documented rate as a token bucket, and what its headers say. */
import type { Clock } from "./clock.ts";
import { ProviderFault } from "./fault.ts";

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
}

/** No header makes us wait longer than this: a wrong one would silence a provider for good. */
const LONGEST_BLOCK_MS = 3_600_000;
const DEFAULT_LOCKOUT_MS = 1_000;
const MINUTE_MS = 60_000;

export interface RateGate {
  /**
   * Waits for this request's turn; turns come in the order of the calls.
   * @throws ProviderFault `rate_limited` at once when the provider has locked us out for longer than the
   * patience, so that a caller can go on to another provider
   */
  acquire(): Promise<void>;
  /** Reads the limits that an answer tells, whatever its status. */
  observe(headers: Headers): void;
  /** A 429: no request leaves before its time. @returns milliseconds until then */
  lockOut(headers: Headers): number;
}

export function createRateGate(deps: {
  readonly name: string;
  readonly rate: RateLimit;
  readonly clock: Clock;
  /** The longest lock-out that is waited for, in milliseconds. */
  readonly patienceMs: number;
}): RateGate {
  const { name, rate, clock, patienceMs } = deps;
  const perTokenMs = rate.perMs / rate.requests;
  const burst = rate.burst ?? 1;
  let tokens = burst;
  let filledAt = clock.now();
  let blockedUntil = 0;
  let queue: Promise<void> = Promise.resolve();

  function refill(now: number): void {
    // A clock set back grants nothing and takes nothing.
    tokens = Math.min(burst, tokens + Math.max(0, now - filledAt) / perTokenMs);
    filledAt = now;
  }

  async function turn(): Promise<void> {
    for (;;) {
      const now = clock.now();
      refill(now);
      const blockedMs = blockedUntil - now;
      if (blockedMs > patienceMs) throw new ProviderFault(name, "rate_limited", { retryAfterMs: blockedMs });
      // Float dust must not cost a token another round of waiting.
      const waitMs = Math.max(blockedMs, tokens > 1 - 1e-9 ? 0 : (1 - tokens) * perTokenMs);
      if (waitMs <= 0) {
        tokens -= 1;
        return;
      }
      await clock.sleep(Math.ceil(waitMs));
    }
  }

  function block(ms: number): number {
    const bounded = Math.min(Math.max(0, ms), LONGEST_BLOCK_MS);
    blockedUntil = Math.max(blockedUntil, clock.now() + bounded);
    return bounded;
  }

  return {
    acquire() {
      const mine = queue.then(turn);
      queue = mine.catch(() => {});
      return mine;
    },
    observe(headers) {
      const resetMs = untilReset(headers, clock.now());
      if (numberIn(headers, "x-ratelimit-remaining") === 0 && resetMs !== null) block(resetMs);
      const used = rate.usedWeight && numberIn(headers, rate.usedWeight.header);
      if (rate.usedWeight && used != null && used >= rate.usedWeight.limit)
        block(MINUTE_MS - (clock.now() % MINUTE_MS));
    },
    lockOut(headers) {
      const now = clock.now();
      return block(
        retryAfter(headers, now) ?? untilReset(headers, now) ?? rate.lockoutMs ?? DEFAULT_LOCKOUT_MS,
      );
    },
  };
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
