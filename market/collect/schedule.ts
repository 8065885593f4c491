/** Rounds by the clock: of prices, and beside them of each chain's impacts. */
import { setTimeout } from "node:timers/promises";
import { Cron } from "croner";
import type { MarketAsset } from "../queries.ts";
import { collectRound, type Part } from "./collect.ts";
import { noteSkipped } from "./noteRound.ts";
import { createMemory } from "./round.ts";
import type { MarketDeps } from "./types.ts";

/** A provider may keep a round waiting for longer than the end of the process should take. */
const STOP_PATIENCE_MS = 5_000;

export interface Collector {
  /** Ends the schedule, and a running round as soon as what it is doing is done; waits five seconds at most. */
  stop(): Promise<void>;
}

export interface Schedule {
  /** Five fields, or six with seconds, in UTC (every five minutes). */
  readonly pattern?: string;
}

/**
 * A round of each kind now, and one at every match of the cron pattern.
 * A round that is still running when the next of its kind is due is not overtaken: the next one is left out, and told.
 * Impacts take longer by design.
 */
export function startCollecting(deps: MarketDeps, schedule: Schedule = {}): Collector {
  const memory = createMemory();
  const ending = new AbortController();
  const kinds = kindsOf(deps.assets);
  const running = new Map<string, Promise<unknown>>();

  const round = async ({ part, assets }: RoundKind) => {
    if (!ending.signal.aborted) await collectRound({ ...deps, assets, signal: ending.signal }, memory, part);
  };
  const begin = () => {
    for (const kind of kinds)
      if (running.has(kind.name)) void noteSkipped(deps, kind);
      else
        running.set(
          kind.name,
          round(kind).finally(() => running.delete(kind.name)),
        );
  };

  const rounds = new Cron(schedule.pattern ?? "*/5 * * * *", { timezone: "UTC" }, begin);
  begin();
  return {
    stop: async () => {
      ending.abort();
      rounds.stop();
      await Promise.race([Promise.all(running.values()), setTimeout(STOP_PATIENCE_MS, null, { ref: false })]);
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
    ...[...Map.groupBy(assets, ({ chain }) => chain)].map(
      ([chain, own]): RoundKind => ({ name: `impacts of ${chain}`, part: "impacts", assets: own }),
    ),
  ];
}
