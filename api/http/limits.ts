/** Requests a minute. Counts in memory, or for several processes together in Redis or PostgreSQL. */
import { isIP } from "node:net";
import { ConsecutiveBreaker, circuitBreaker, handleAll, TimeoutStrategy, timeout, wrap } from "cockatiel";
import type pg from "pg";
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { Problem } from "./problems.ts";
import type { RedisCounts } from "./redisCounts.ts";

const WINDOW_SECONDS = 60;
/** Nobody waits longer for the common count, and after a failure it is left alone for a while. */
const COUNT_TIMEOUT_MS = 500;
const COUNT_AGAIN_AFTER_MS = 1_000;
/** How many /64 networks' worth of requests a /48 has. */
const NETWORKS_OF_A_SITE = 10;
// The store only counts; the limit comes with each call, since keys have limits of their own.
const UNREACHABLE = 2 ** 31 - 1;

/** Where processes count together: Redis, or a PostgreSQL database with the table `rate_limits`. */
export type CommonCounts = RedisCounts | pg.Pool;

export type Limits = ReturnType<typeof createLimits>;

/** @param common while it is away this process counts for itself, so that a limit is never lifted */
export function createLimits(common?: CommonCounts) {
  const counter = counterOf({ points: UNREACHABLE, duration: WINDOW_SECONDS }, common);
  return {
    /**
     * Counts one request of a bucket, such as `key:<id>`, or as many as a batch holds.
     * @returns the headers that tell the client where it stands
     * @throws Problem `rate_limited` with the same headers and Retry-After
     */
    take: async (bucket: string, limitPerMinute: number, requests: number = 1) => {
      const counted = await counter.consume(bucket, requests).catch((error: unknown) => {
        // Beyond even the unreachable: a count all the same.
        if (error instanceof RateLimiterRes) return error;
        throw error;
      });
      const remaining = Math.max(0, limitPerMinute - counted.consumedPoints);
      const reset = Math.max(1, Math.ceil(counted.msBeforeNext / 1000));
      const headers = {
        "RateLimit-Policy": `"default";q=${limitPerMinute};w=${WINDOW_SECONDS}`,
        RateLimit: `"default";r=${remaining};t=${reset}`,
      };
      if (counted.consumedPoints > limitPerMinute)
        throw new Problem("rate_limited", `over the limit of ${limitPerMinute} requests a minute`, {
          headers,
          retryAfterSeconds: reset,
        });
      return headers;
    },
  };
}

/** Counts in common where that is possible, and in this process where it is not or at the moment cannot be. */
function counterOf(options: IRateLimiterOptions, common?: CommonCounts): RateLimiterAbstract {
  const memory = new RateLimiterMemory(options);
  if (common === undefined) return memory;
  if ("counterOf" in common) return common.counterOf(options);
  return new RateLimiterPostgres({
    ...options,
    storeClient: quickly(common),
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    insuranceLimiter: memory,
  });
}

const DAY_SECONDS = 86_400;

/** What an address may have in a day of UTC, counted as `takeOfAddress` counts: by its network, and by the /48 around it. */
export type DailyCap = ReturnType<typeof createDailyCap>;

/** @param now unix milliseconds @param common as of `createLimits` */
export function createDailyCap(name: string, perDay: number, now: () => number, common?: CommonCounts) {
  const counting = (keyPrefix: string, points: number) =>
    counterOf({ points, duration: DAY_SECONDS, keyPrefix }, common);
  const networks = counting(name, perDay);
  const sites = counting(`${name}-sites`, perDay * NETWORKS_OF_A_SITE);
  const today = () => Math.floor(now() / 1_000 / DAY_SECONDS);
  /** Counts one. @returns whether the address may have it */
  async function allows(address: string): Promise<boolean> {
    try {
      await networks.consume(`${today()}/${networkOf(address)}`);
      if (hasSite(address)) await sites.consume(`${today()}/${networkOf(address, 3)}`);
      return true;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return false;
    }
  }
  return {
    allows,
    /** Counts one. @throws Problem `rate_limited` with Retry-After */
    async take(address: string) {
      if (await allows(address)) return;
      throw new Problem("rate_limited", `over the limit of ${perDay} a day without a key: use a key`, {
        retryAfterSeconds: Math.ceil((today() + 1) * DAY_SECONDS - now() / 1_000),
      });
    },
  };
}

/**
 * Counts in this process alone: what is protected is its own share of the database.
 * @param what in the plural, for who is refused
 */
export function createGuesses(wrongPerMinute: number, what: string) {
  const wrong = new RateLimiterMemory({ points: wrongPerMinute, duration: WINDOW_SECONDS });
  return {
    /**
     * Counts an attempt of an address with a secret that may be wrong.
     * @returns what takes the count back, for a secret that was right
     * @throws Problem `rate_limited` after too many wrong ones in a minute
     */
    begin: async (address: string) => {
      const network = networkOf(address);
      try {
        await wrong.consume(network);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new Problem("rate_limited", `too many ${what} from this address`, {
          retryAfterSeconds: error.msBeforeNext / 1000,
        });
      }
      return async () => {
        await wrong.reward(network);
      };
    },
  };
}

/** The pool as the counter uses it; it says no rather than keeping a request waiting. */
function quickly(pool: pg.Pool): Pick<pg.Pool, "query"> {
  const guarded = wrap(
    circuitBreaker(handleAll, { halfOpenAfter: COUNT_AGAIN_AFTER_MS, breaker: new ConsecutiveBreaker(1) }),
    timeout(COUNT_TIMEOUT_MS, TimeoutStrategy.Aggressive),
  );
  // Without its name, by which the server would keep it prepared: behind a pooler the next one may be on another connection.
  const query = ({ text, values }: pg.QueryConfig) => guarded.execute(() => pool.query({ text, values }));
  return { query: query as pg.Pool["query"] };
}

/**
 * Counts one request of an address, or as many as a batch holds: against its own network, and on IPv6 against the /48
 * around it, which one customer of a provider may well have whole, as ten.
 * @throws Problem `rate_limited`
 */
export async function takeOfAddress(
  limits: Limits,
  bucket: string,
  address: string,
  limitPerMinute: number,
  requests = 1,
): Promise<Record<string, string>> {
  const headers = await limits.take(`${bucket}:${networkOf(address)}`, limitPerMinute, requests);
  if (hasSite(address))
    await limits.take(`${bucket}:${networkOf(address, 3)}`, limitPerMinute * NETWORKS_OF_A_SITE, requests);
  return headers;
}

const MAPPED = /^::ffff:(?=[0-9.]+$)/i;
/** Whether a /48 is around it: of IPv6 alone. */
const hasSite = (address: string): boolean => address.includes(":") && !MAPPED.test(address);

/**
 * Who is behind an address: an IPv4 address itself, of IPv6 the /64 network, which is what one
 * subscriber has to choose addresses from.
 * @param groups how many of an IPv6 address's groups of 16 bits count
 */
export function networkOf(address: string, groups = 4): string {
  const plain = address.replace(MAPPED, "").replace(/%.*$/, "");
  if (!plain.includes(":")) return plain;
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  const network = [...left, ...zeros, ...right].slice(0, groups);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/${groups * 16}`;
}

/**
 * An address as a proxy may write it, with a port behind it, without the port; undefined: it is none.
 * Otherwise a client would be somebody else with each connection.
 */
export function withoutPort(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const plain = /^\[(.+)\](?::[0-9]+)?$/.exec(text)?.[1] ?? /^([0-9.]+):[0-9]+$/.exec(text)?.[1] ?? text;
  return isIP(plain) === 0 ? undefined : plain;
}
