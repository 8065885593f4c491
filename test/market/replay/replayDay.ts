/** Replays a day through the real collectors, and keeps every answer that was given. */
import type { UnixMs } from "../../../attestor/values/time.ts";
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { backfillHistory } from "../../../market/collect/backfill.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import type { MarketDeps } from "../../../market/collect/types.ts";
import { createLiveMarket } from "../../../market/live/live.ts";
import {
  type Heard,
  REPLAY_NOW,
  type ReplayWorld,
  replayWorld,
  startReplay,
} from "../../support/providers/replay.ts";
import { virtualClock } from "../../support/providers/virtualClock.ts";
import type { Schedule } from "./faults.ts";

const ROUND_MINUTES = 5;
const LATENCY_MS = 40;

/** An answer, with the moment and the round in which it came. */
export interface HeardAt extends Heard {
  readonly at: UnixMs;
  /** Minutes since the begin of the day. */
  readonly minute: number;
}

export interface Replayed {
  readonly db: Database;
  readonly world: ReplayWorld;
  /** By round, in order; the last one is what was asked of the past afterwards. */
  readonly rounds: readonly (readonly HeardAt[])[];
  /** Unix seconds of the end. */
  readonly endedAt: number;
}

/** The database is the caller's to close. */
export async function replayDay({ from, to, faults }: Schedule): Promise<Replayed> {
  const clock = virtualClock((REPLAY_NOW + from * 60) * 1_000, LATENCY_MS);
  const world = replayWorld(["AAPL", "TSLA"]);
  const base = new Map(world.fair);
  Object.defineProperty(world, "now", { get: () => Math.floor(clock.now() / 1_000) });
  let heard: HeardAt[] = [];
  let minute = from;
  await using replay = await startReplay(world, undefined, (answer) =>
    // As it was said: the world goes on.
    heard.push({ ...answer, body: structuredClone(answer.body), at: clock.now(), minute }),
  );
  const db = openDatabase("sqlite::memory:");
  await migrate(db);
  const { sources, history } = createLiveMarket({
    ...replay.deps,
    assets: world.tokens,
    fetch: clock.fetch,
    now: () => clock.now(),
    adapters: { clock, random: () => 0 },
  });
  const deps: MarketDeps = {
    db,
    assets: world.tokens,
    sources,
    sessionAt: () => "regular",
    now: () => clock.now(),
    log: { warn: () => {}, error: () => {} },
  };
  const memory = createMemory();
  const rounds: HeardAt[][] = [];
  for (; minute < to; minute += ROUND_MINUTES) {
    const due = (REPLAY_NOW + minute * 60) * 1_000;
    await clock.until(clock.sleep(due - clock.now()));
    for (const fault of faults) if (fault.to === minute) fault.end(world);
    for (const fault of faults) if (fault.from === minute) fault.begin(world);
    move(world, base, minute);
    heard = [];
    rounds.push(heard);
    await clock.until(collectRound(deps, memory));
  }
  // Late: what the venue knows of the hours in which it was away.
  heard = [];
  rounds.push(heard);
  await clock.until(backfillHistory(deps, { ...history, prices: async () => [] }, 1));
  return { db, world, rounds, endedAt: Math.floor(clock.now() / 1_000) };
}

/** Prices of a quiet day: up to a percent around where they began, no two rounds alike. */
function move(world: ReplayWorld, base: ReadonlyMap<string, number>, minute: number): void {
  let index = 0;
  for (const [ticker, price] of base) {
    const wave = Math.sin(minute / (47 + index)) * 0.008 + Math.sin(minute / 7 + index) * 0.002;
    world.fair.set(ticker, Math.round(price * (1 + wave) * 1e4) / 1e4);
    index++;
  }
}
