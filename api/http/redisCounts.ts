/**
 * Counts that processes share in Redis. While it is away, slow or full each process counts for itself: a limit is never
 * lifted, and no request fails or waits for it longer than `ANSWER_MS`.
 */
import { Redis } from "ioredis";
import { type IRateLimiterOptions, RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import type { Secret } from "../settings/secret.ts";

/** How long a request waits for a count; after one that did not come nobody asks before a probe was answered. */
const ANSWER_MS = 200;
const PROBE_EVERY_MS = 500;
/** How long a start waits for the first answer. */
const FIRST_ANSWER_MS = 1_000;
const CONNECT_MS = 1_000;
/** A connection that owes an answer for so long is given up, as a network that drops packets never says. */
const SILENCE_MS = 2_000;
const PROBE_KEY = "assay:probe";

/** Whether counts are those of all processes, or this one's alone and why. */
export interface CountsState {
  readonly counts: "shared" | "local";
  /** `ECONNREFUSED`, `timeout`, `OOM`; null while they are shared. */
  readonly reason: string | null;
}

interface Log {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

type Increment = (args: readonly string[]) => Promise<unknown>;

/** The answer was not there in time. */
class Slow extends Error {
  readonly code = "timeout";
}

export type RedisCounts = Awaited<ReturnType<typeof openRedisCounts>>;

/**
 * @param url `redis://…` or `rediss://…`, which may hold a password: it is never shown
 * @returns as soon as Redis has answered, or after a second without an answer
 */
export async function openRedisCounts(url: Secret, log: Log) {
  const client = new Redis(url.reveal(), {
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
    // What was not answered is counted here instead; sent again, it would count twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  const gate = createGate(client, log);
  const shared = {
    defineCommand: client.defineCommand.bind(client),
    rlflxIncr: (args: readonly string[]) => gate.ask(() => incrementOf(client)(args)),
  };
  // Defines the script that the probe runs as well.
  const counterOf = (options: IRateLimiterOptions) =>
    new RateLimiterRedis({
      ...options,
      keyPrefix: `assay:${options.keyPrefix ?? "limit"}`,
      storeClient: shared,
      insuranceLimiter: new RateLimiterMemory(options),
    });
  counterOf({ points: 1, duration: 1 });
  await gate.open();
  return {
    /** A counter in Redis, insured by one in memory. */
    counterOf,
    state: gate.state,
    /** How many requests this process has counted for itself since its start. */
    localCounts: gate.localCounts,
    close: async () => {
      gate.close();
      client.disconnect();
    },
  };
}

const incrementOf = (client: Redis) =>
  (client as unknown as { rlflxIncr: Increment }).rlflxIncr.bind(client) as Increment;

/** Lets questions through while Redis answers them, and asks for itself while it does not. */
function createGate(client: Redis, log: Log) {
  // Until the first answer nobody has been told anything.
  let reason: string | null = "connecting";
  let isTold = false;
  let closed = false;
  let localSince = 0;
  let timer: NodeJS.Timeout | undefined;
  let local = 0;

  const fail = (error: unknown) => {
    if (closed || (reason !== null && isTold)) return;
    reason = reasonOf(error);
    isTold = true;
    log.warn({ reason }, "Redis is away: this process counts limits for itself until it is back");
    probeLater();
  };
  const succeed = () => {
    if (reason === null || closed) return;
    reason = null;
    if (isTold) log.info({ localCounts: localSince }, "Redis is back: limits are counted for all processes");
    isTold = false;
    localSince = 0;
  };
  // What a count does, since a full Redis still answers a PING.
  const probe = () => inTime(incrementOf(client)([PROBE_KEY, "1", "60", "1", "60"])).then(succeed, fail);
  const probeLater = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (closed || reason === null) return;
      void probe().then(() => reason !== null && probeLater());
    }, PROBE_EVERY_MS);
    timer.unref();
  };
  // Without a listener it would be printed, with the address.
  let cause: unknown = Object.assign(new Error(), { code: "closed" });
  client.on("error", (error) => {
    cause = error;
  });
  client.on("close", () => fail(cause));
  return {
    /** @throws why there is no common count */
    ask: async (question: () => Promise<unknown>): Promise<unknown> => {
      try {
        if (reason !== null) throw new Slow("Redis is away");
        return await inTime(question());
      } catch (error) {
        fail(error);
        localSince++;
        local++;
        throw error;
      }
    },
    open: async () => {
      await connected(client);
      await probe();
    },
    state: (): CountsState => ({ counts: reason === null ? "shared" : "local", reason }),
    localCounts: () => local,
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Or not, after a while or for now. */
function connected(client: Redis): Promise<unknown> {
  return Promise.race([
    new Promise((resolve) => client.once("ready", resolve)),
    new Promise((resolve) => client.once("close", resolve)),
    new Promise((resolve) => setTimeout(resolve, FIRST_ANSWER_MS).unref()),
  ]);
}

/** @throws Slow */
function inTime(answer: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // After a pause of this very process the answer may lie there already.
      setImmediate(() => setImmediate(() => reject(new Slow("Redis did not answer in time"))));
    }, ANSWER_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A word that says why, and nothing of where Redis is: its messages may hold the address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Redis' own answers begin with one: OOM, NOAUTH, READONLY.
  return /^[A-Z]{2,20}\b/.exec(error.message)?.[0] ?? error.name;
}
