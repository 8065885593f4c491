/**
 * Rate limits and their headers (RateLimit and RateLimit-Policy of the IETF draft). Counts in memory, or for several
 * processes together in PostgreSQL.
 */
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

const WINDOW_SECONDS = 60;
/** Nobody waits longer for the common count, and after a failure it is left alone for a while. */
const COUNT_TIMEOUT_MS = 500;
const COUNT_AGAIN_AFTER_MS = 1_000;
/** How many /64 networks' worth of requests a /48 has. */
const NETWORKS_OF_A_SITE = 10;
// The store only counts; the limit comes with each call, since keys have limits of their own.
const UNREACHABLE = 2 ** 31 - 1;

export type Limits = ReturnType<typeof createLimits>;

/** A limit by the name that headers and problems call it. */
export interface Limit {
  readonly name: string;
  readonly quota: number;
  /** null: of what is open at a time. */
  readonly windowSeconds: number | null;
  /**
   * Whose requests count together: a network is the /48 around an IPv6 address, whose own is a /64; `process` are all
   * callers of this process.
   */
  readonly scope: "key" | "job" | "address" | "network" | "process";
}

/** Where somebody stands with a limit, for the headers of an answer. @param resetSeconds until there is a new window */
export const standing = ({ name, quota, windowSeconds }: Limit, remaining: number, resetSeconds: number) => ({
  "RateLimit-Policy": `"${name}";q=${quota}${windowSeconds === null ? "" : `;w=${windowSeconds}`}`,
  RateLimit: `"${name}";r=${Math.max(0, remaining)};t=${Math.max(1, Math.ceil(resetSeconds))}`,
});
export type Standing = ReturnType<typeof standing>;

/** The headers of an answer that counts against several limits. */
const both = (one: Standing, other: Standing): Standing => ({
  "RateLimit-Policy": `${one["RateLimit-Policy"]}, ${other["RateLimit-Policy"]}`,
  RateLimit: `${one.RateLimit}, ${other.RateLimit}`,
});

/** 429, which says which limit it is. @param detail in words, whose limit and what to do */
export const overLimit = (limit: Limit, resetSeconds: number, detail: string): Problem =>
  new Problem("rate_limited", detail, {
    headers: standing(limit, 0, resetSeconds),
    members: { limit },
    retryAfterSeconds: resetSeconds,
  });

const OF_SCOPE = {
  key: "of this API key",
  job: "of this job",
  address: "from this address",
  network: "from the /48 network of this address",
  process: "of all callers",
};

const SCOPES: Readonly<Record<string, Limit["scope"]>> = { key: "key", inputs: "key", job: "job" };

/** `key:<id>` is the limit "key", `texts:<address>` the limit "texts". */
function limitOf(bucket: string, quota: number): Limit {
  const [name = bucket] = bucket.split(":");
  return { name, quota, windowSeconds: WINDOW_SECONDS, scope: SCOPES[name] ?? scopeOf(name) };
}

const OF_NETWORK = "-network";
const scopeOf = (name: string) => (name.endsWith(OF_NETWORK) ? "network" : "address");

/** @param common where processes count together: a database with the table `rate_limits`. While it is away this process counts for itself, so that a limit is never lifted */
export function createLimits(common?: pg.Pool) {
  const counter = counterOf({ points: UNREACHABLE, duration: WINDOW_SECONDS }, common);
  return {
    /**
     * Counts one request of a bucket, such as `key:<id>`, or as many as a batch holds.
     * @returns the headers that tell the client where it stands
     * @throws Problem `rate_limited` with the same headers and Retry-After
     */
    take: async (bucket: string, limitPerMinute: number, requests: number = 1): Promise<Standing> => {
      const counted = await counter.consume(bucket, requests).catch((error: unknown) => {
        // Beyond even the unreachable: a count all the same.
        if (error instanceof RateLimiterRes) return error;
        throw error;
      });
      const limit = limitOf(bucket, limitPerMinute);
      const reset = counted.msBeforeNext / 1_000;
      if (counted.consumedPoints <= limitPerMinute)
        return standing(limit, limitPerMinute - counted.consumedPoints, reset);
      const whose = `${limitPerMinute} requests a minute ${OF_SCOPE[limit.scope]}`;
      throw overLimit(limit, reset, `over the limit "${limit.name}": ${whose}`);
    },
  };
}

/** Counts in common where that is possible, and in this process where it is not or at the moment cannot be. */
function counterOf(options: IRateLimiterOptions, common?: pg.Pool): RateLimiterAbstract {
  const memory = new RateLimiterMemory(options);
  if (common === undefined) return memory;
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
export function createDailyCap(name: string, perDay: number, now: () => number, common?: pg.Pool) {
  const counting = (keyPrefix: string, points: number) =>
    counterOf({ points, duration: DAY_SECONDS, keyPrefix }, common);
  const networks = counting(name, perDay);
  const sites = counting(`${name}-sites`, perDay * NETWORKS_OF_A_SITE);
  const today = () => Math.floor(now() / 1_000 / DAY_SECONDS);
  const limit: Limit = { name, quota: perDay, windowSeconds: DAY_SECONDS, scope: "address" };
  const network: Limit = {
    ...limit,
    name: name + OF_NETWORK,
    quota: perDay * NETWORKS_OF_A_SITE,
    scope: "network",
  };
  const toMidnight = () => (today() + 1) * DAY_SECONDS - now() / 1_000;
  /** Counts one. @returns the limit that is over, or where the address stands */
  async function count(address: string): Promise<{ readonly over: Limit } | { readonly headers: Standing }> {
    let reached = limit;
    try {
      const { remainingPoints } = await networks.consume(`${today()}/${networkOf(address)}`);
      reached = network;
      if (hasSite(address)) await sites.consume(`${today()}/${networkOf(address, 3)}`);
      return { headers: standing(limit, remainingPoints, toMidnight()) };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return { over: reached };
    }
  }
  return {
    /** Counts one. @returns whether the address may have it */
    allows: async (address: string) => "headers" in (await count(address)),
    /**
     * Counts one.
     * @returns the headers that tell where the address stands
     * @throws Problem `rate_limited` with the same headers and Retry-After
     */
    async take(address: string): Promise<Standing> {
      const counted = await count(address);
      if ("headers" in counted) return counted.headers;
      const { over } = counted;
      const whose = `${over.quota} a day ${OF_SCOPE[over.scope]} without a key`;
      throw overLimit(over, toMidnight(), `over the limit "${over.name}": ${whose}; use a key`);
    },
  };
}

/**
 * Counts in this process alone: what is protected is its own share of the database.
 * @param name of the limit @param what in the plural, for who is refused
 */
export function createGuesses(wrongPerMinute: number, name: string, what: string) {
  const limit: Limit = { name, quota: wrongPerMinute, windowSeconds: WINDOW_SECONDS, scope: "address" };
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
        const detail = `over the limit "${name}": too many ${what} from this address`;
        throw overLimit(limit, error.msBeforeNext / 1_000, detail);
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
  const query = (config: pg.QueryConfig) => guarded.execute(() => pool.query(config));
  return { query: query as pg.Pool["query"] };
}

/**
 * Counts one request of an address, or as many as a batch holds, against its own network. On IPv6 the /48 around it,
 * which one customer may have whole, has ten times the limit.
 * @throws Problem `rate_limited`
 */
export async function takeOfAddress(
  limits: Limits,
  bucket: string,
  address: string,
  limitPerMinute: number,
  requests = 1,
): Promise<Standing> {
  const ofNetwork = await limits.take(`${bucket}:${networkOf(address)}`, limitPerMinute, requests);
  if (!hasSite(address)) return ofNetwork;
  const site = `${bucket}${OF_NETWORK}:${networkOf(address, 3)}`;
  return both(ofNetwork, await limits.take(site, limitPerMinute * NETWORKS_OF_A_SITE, requests));
}

const MAPPED = /^::ffff:(?=[0-9.]+$)/i;
/** Whether a /48 is around it: of IPv6 alone. */
const hasSite = (address: string): boolean => address.includes(":") && !MAPPED.test(address);

/**
 * The network of an address: an IPv4 address itself, of IPv6 the /64, from which one subscriber can choose addresses.
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
