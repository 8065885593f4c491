/** Rounds by the clock, in one process of several. */
import { Cron } from "croner";
import { collectRound } from "./collect.ts";
import { acquireLease, type LeaseDeps, releaseLease } from "./lease.ts";
import { createMemory } from "./round.ts";
import type { MarketDeps } from "./types.ts";

const LEASE = { name: "collector", ttlMs: 60_000 };
const RENEW = "*/20 * * * * *";
/** A provider may keep a round waiting for longer than the end of the process should take. */
const STOP_PATIENCE_MS = 5_000;

export interface Collector {
  /** Ends the schedule, and a running round as soon as what it is doing is done; waits five seconds at most. */
  stop(): Promise<void>;
}

export interface Schedule {
  /** Five fields, or six with seconds, in UTC (every five minutes). */
  readonly pattern?: string;
  /** Tells this process from others on the same database. */
  readonly holder: string;
}

/**
 * A round now, and one at every match of the cron pattern, in that process alone that holds the lease. A
 * round that is still running when the next is due is not overtaken: the next one is left out.
 */
export function startCollecting(deps: MarketDeps, schedule: Schedule): Collector {
  const lease: LeaseDeps = { db: deps.db, ...LEASE, holder: schedule.holder, now: () => deps.now() };
  const memory = createMemory();
  const ending = new AbortController();
  let running: Promise<unknown> | undefined;
  let renewing: Promise<unknown> | undefined;

  const leads = async () => {
    if (ending.signal.aborted) return false;
    try {
      return await acquireLease(lease);
    } catch (error) {
      deps.log.error({ err: error }, "the collector's lease cannot be had");
      return false;
    }
  };
  const round = async () => {
    if (await leads()) await collectRound({ ...deps, signal: ending.signal }, memory);
  };
  const begin = () => {
    running ??= round().finally(() => {
      running = undefined;
    });
  };

  const rounds = new Cron(schedule.pattern ?? "*/5 * * * *", { timezone: "UTC" }, begin);
  // Who collects goes on collecting: the lease is renewed while rounds run and between them.
  const renewals = new Cron(RENEW, { timezone: "UTC" }, () => {
    renewing = leads();
  });
  begin();
  return {
    stop: async () => {
      ending.abort();
      rounds.stop();
      renewals.stop();
      await Promise.race([Promise.all([running, renewing]), sleep(STOP_PATIENCE_MS)]);
      await releaseLease(lease).catch(() => {});
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
