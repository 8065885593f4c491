/** Replays a day through the real collectors, and keeps every answer that was given. */
import { migrate } from "../../../database/migrate.ts";
import { type Database, openDatabase } from "../../../database/open.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { type Patch, patching } from "../../support/providers/patches.ts";
import {
  type Heard,
  REPLAY_NOW,
  type ReplayToken,
  replayCollector,
  replayWorld,
  startReplay,
} from "../../support/providers/replay.ts";

const ROUND_SECONDS = 300;

/** A round's answers in the order in which they came. */
export interface HeardRound {
  /** Unix seconds. */
  readonly at: number;
  readonly session: string;
  readonly answers: readonly Heard[];
}

interface Replayed {
  readonly db: Database;
  readonly tokens: readonly ReplayToken[];
  readonly rounds: readonly HeardRound[];
}

/** What is wrong in so many rounds, one after the other. */
type Schedule = readonly { readonly patches: readonly Patch[]; readonly rounds: number }[];

/** Trades until the fifth hour, and thinly until the ninth. */
const sessionAt = (seconds: number): string => {
  const hours = (seconds - REPLAY_NOW) / 3_600;
  return hours < 5 ? "regular" : hours < 9 ? "post-market" : "closed";
};

/** The database is the caller's to close. */
export async function replayDay(schedule: Schedule): Promise<Replayed> {
  const world = replayWorld(["AAPL", "TSLA"]);
  let answers: Heard[] = [];
  await using replay = await startReplay(world, undefined, (answer) =>
    answers.push({ ...answer, body: structuredClone(answer.body) }),
  );
  const db = openDatabase("sqlite::memory:");
  await migrate(db);
  const deps = replayCollector(replay, db, { sessionAt });
  const memory = createMemory();
  const rounds: HeardRound[] = [];
  for (const { patches, rounds: count } of schedule) {
    world.rewrite = patching(patches, () => world.now);
    for (let round = 0; round < count; round++) {
      world.now += ROUND_SECONDS;
      answers = [];
      rounds.push({ at: world.now, session: sessionAt(world.now), answers });
      // One after the other: a premium's impact is then one of the rounds before.
      await collectRound(deps, memory, "prices");
      await collectRound(deps, memory, "impacts");
    }
  }
  return { db, tokens: world.tokens, rounds };
}
