/** The history of checks in the database: a row a part and day, ninety days of each. */
import { sql } from "kysely";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { Found } from "./parts.ts";

export const HISTORY_DAYS = 90;
const DAY_SECONDS = 86_400;

/** Checks of a part on a day that are not stored yet. */
export interface Tally {
  readonly part: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly good: number;
  readonly bad: number;
}

export const dayNumber = (seconds: number): number => Math.floor(seconds / DAY_SECONDS);

/**
 * Adds checks to their days, says how each part is now, and deletes what is older than the history.
 * @param tallies what has piled up, this check included
 * @param found the newest check
 * @param at unix seconds of it
 * @throws DatabaseUnavailable; nothing is stored then
 */
export async function storeChecks(
  db: Database,
  tallies: readonly Tally[],
  found: Found,
  at: number,
): Promise<void> {
  const oldest = dayNumber(at) - HISTORY_DAYS + 1;
  const kept = tallies.filter(({ day }) => day >= oldest);
  if (kept.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto("status_days")
      .values([...kept])
      .onConflict((conflict) =>
        conflict.columns(["part", "day"]).doUpdateSet({
          good: sql<number>`status_days.good + excluded.good`,
          bad: sql<number>`status_days.bad + excluded.bad`,
        }),
      )
      .execute();
    if (found.size > 0) await storeParts(transaction, found, at);
    await transaction.deleteFrom("status_days").where("day", "<", oldest).execute();
    await transaction
      .deleteFrom("status_parts")
      .where("checked_at", "<", oldest * DAY_SECONDS)
      .execute();
  });
}

async function storeParts(db: Database, found: Found, at: number): Promise<void> {
  await db
    .insertInto("status_parts")
    .values([...found].map(([part, works]) => ({ part, works: works ? 1 : 0, since: at, checked_at: at })))
    .onConflict((conflict) =>
      conflict.column("part").doUpdateSet({
        since: sql<number>`case when status_parts.works = excluded.works then status_parts.since else excluded.since end`,
        works: sql<number>`excluded.works`,
        checked_at: sql<number>`excluded.checked_at`,
      }),
    )
    .execute();
}

export interface PartHistory {
  readonly part: string;
  readonly works: boolean;
  /** Unix seconds of the first check that found it as it is. */
  readonly since: number;
  readonly checkedAt: UnixSeconds;
  /** Ninety, the running day last; null: nobody checked on that day. */
  readonly days: readonly (Pick<Tally, "good" | "bad"> | null)[];
}

/** In the order of names. @param now unix seconds @throws DatabaseUnavailable */
export async function statusHistory(db: Database, now: number): Promise<PartHistory[]> {
  const oldest = dayNumber(now) - HISTORY_DAYS + 1;
  const [parts, rows] = await Promise.all([
    db.selectFrom("status_parts").selectAll().orderBy("part").execute(),
    db.selectFrom("status_days").selectAll().where("day", ">=", oldest).execute(),
  ]);
  return parts.map(({ part, works, since, checked_at }) => {
    const days: (Pick<Tally, "good" | "bad"> | null)[] = Array.from({ length: HISTORY_DAYS }, () => null);
    for (const { part: of, day, good, bad } of rows)
      if (of === part && day - oldest < HISTORY_DAYS) days[day - oldest] = { good, bad };
    return { part, works: works === 1, since, checkedAt: checked_at, days };
  });
}
