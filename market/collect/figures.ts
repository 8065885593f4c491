/** The states of figures, listings and providers, and since when: each change is reported once. */
import { sql } from "kysely";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { chunksOf } from "../series/hours.ts";
import { named } from "./troubles.ts";
import { type Round, seconds } from "./types.ts";

/** One source alone for so long is worth a word. */
const SINGLE_SECONDS = 3_600;

export type Figure = Pick<Schema["market_figures"], "kind" | "subject" | "state">;

/** A state that was not noted for so long may have changed meanwhile: after a restart it is reported again. */
const NOTED_SECONDS = 7_200;

/** The report when a state begins; other states have none. */
const TOLD: Readonly<Record<string, string>> = {
  disputed: "disputed: no majority of their sources agrees, or all of them are zero",
  missing: "not in their issuer's list any more",
  migrated: "at another address by their issuer's list",
  halted: "halted",
  excluded: "excluded: their figures are outliers, disputed, stale or cannot be true",
};

/** Keeps the state of each with the time since when it is so, and logs the changes. @throws DatabaseUnavailable */
export async function noteFigures(round: Round, figures: readonly Figure[]): Promise<void> {
  const now = seconds(round);
  const before = await storedFigures(round.db, figures, now - NOTED_SECONDS);
  const begun: Figure[] = [];
  const alone: Figure[] = [];
  for (const figure of figures) {
    const earlier = before.get(keyOf(figure));
    if (earlier?.state !== figure.state) begun.push(figure);
    else if (isLongAlone(earlier, now) && !isLongAlone(earlier, earlier.seen_at)) alone.push(figure);
  }
  await storeFigures(round.db, figures, now);
  for (const [, list] of Map.groupBy(begun, ({ kind, state }) => `${kind} ${state}`)) {
    const [{ kind, state }] = list as [Figure];
    const sentence = TOLD[state];
    const fields = { kind, state, count: list.length };
    if (sentence !== undefined)
      round.log.warn(fields, `${manyOf(kind)} ${sentence}: ${named(subjectsOf(list))}`);
  }
  for (const [kind, list] of Map.groupBy(alone, (figure) => figure.kind))
    round.log.warn(
      { kind, state: "single", count: list.length },
      `${manyOf(kind)} rest on one source alone for an hour: ${named(subjectsOf(list))}`,
    );
}

const manyOf = (kind: string) => (kind === "basis" ? "bases" : `${kind}s`);
const subjectsOf = (figures: readonly Figure[]) => figures.map(({ subject }) => subject);
const keyOf = ({ kind, subject }: Pick<Figure, "kind" | "subject">) => `${kind}/${subject}`;

const isLongAlone = ({ state, since }: Schema["market_figures"], at: UnixSeconds) =>
  state === "single" && at - since >= SINGLE_SECONDS;

async function storedFigures(
  db: Database,
  figures: readonly Figure[],
  seenAfter: UnixSeconds,
): Promise<Map<string, Schema["market_figures"]>> {
  const kinds = [...new Set(figures.map(({ kind }) => kind))];
  if (kinds.length === 0) return new Map();
  const rows = await db
    .selectFrom("market_figures")
    .selectAll()
    .where("kind", "in", kinds)
    .where("seen_at", ">", seenAfter)
    .execute();
  return new Map(rows.map((row) => [keyOf(row), row]));
}

async function storeFigures(db: Database, figures: readonly Figure[], now: UnixSeconds): Promise<void> {
  for (const chunk of chunksOf(figures))
    await db
      .insertInto("market_figures")
      .values(chunk.map((figure) => ({ ...figure, since: now, seen_at: now })))
      .onConflict((conflict) =>
        conflict.columns(["kind", "subject"]).doUpdateSet({
          since: sql<number>`case when market_figures.state = excluded.state and market_figures.seen_at > ${now - NOTED_SECONDS} then market_figures.since else excluded.since end`,
          state: sql<string>`excluded.state`,
          seen_at: sql<number>`excluded.seen_at`,
        }),
      )
      .execute();
}
