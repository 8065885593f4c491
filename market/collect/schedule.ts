/** Rounds by the clock, in one process of several: of prices, and beside them of each chain's impacts. */
import { Cron } from "croner";
import type { MarketAsset } from "../queries.ts";
import { collectRound, type Part } from "./collect.ts";
import { acquireLease, type LeaseDeps, releaseLease } from "./lease.ts";
import { createMemory } from "./round.ts";
import { grouped, type MarketDeps } from "./types.ts";

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
 * A round of each kind now, and one at every match of the cron pattern, in that process alone that holds the lease.
 * A round that is still running when the next of its kind is due is not overtaken: the next one is left out.
 */
export function startCollecting(deps: MarketDeps, schedule: Schedule): Collector {
  const lease: LeaseDeps = { db: deps.db, ...LEASE, holder: schedule.holder, now: () => deps.now() };
  const memory = createMemory();
  const ending = new AbortController();
  const kinds = kindsOf(deps.assets);
  const running = new Map<string, Promise<unknown>>();
  let renewing: Promise<unknown> | undefined;

  const leads = async () => {
    if (ending.signal.aborted) return false;
    try {
      return await acquireLease(lease);
    } catch (error) {
      deps.log.error({ err: error }, "the collector's lease could not be acquired");
      return false;
    }
  };
  const round = async ({ part, assets }: RoundKind) => {
    if (await leads()) await collectRound({ ...deps, assets, signal: ending.signal }, memory, part);
  };
  const begin = () => {
    for (const kind of kinds)
      if (!running.has(kind.name))
        running.set(
          kind.name,
          round(kind).finally(() => running.delete(kind.name)),
        );
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
      await Promise.race([Promise.all([...running.values(), renewing]), sleep(STOP_PATIENCE_MS)]);
      await releaseLease(lease).catch(() => {});
    },
  };
}

interface RoundKind {
  readonly name: string;
  readonly part: Part;
  readonly assets: readonly MarketAsset[];
}

/** Venues of one chain may take ten times as long as those of another: its impacts do not wait for them. */
function kindsOf(assets: readonly MarketAsset[]): RoundKind[] {
  return [
    { name: "prices", part: "prices", assets },
    ...[...grouped(assets, ({ chain }) => chain)].map(
      ([chain, own]): RoundKind => ({ name: `impacts of ${chain}`, part: "impacts", assets: own }),
    ),
  ];
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
