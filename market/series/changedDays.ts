/** Days (UTC) of which something has changed since their files were made. Noted with the change, in its transaction. */
import type { Database } from "../../database/open.ts";

export const DATASETS = ["premiums", "bases", "totals"] as const;
export type Dataset = (typeof DATASETS)[number];

/** `YYYY-MM-DD` of a unix second, UTC. */
export function dayOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}

/** Of which dataset the hours of a series are. */
export const datasetOf = (series: string): Dataset => (series.startsWith("basis/") ? "bases" : "premiums");

/** @param days YYYY-MM-DD; each may be named several times */
export async function noteChanged(
  transaction: Database,
  days: readonly { readonly dataset: Dataset; readonly day: string }[],
): Promise<void> {
  const each = new Map(days.map((one) => [`${one.dataset}/${one.day}`, one]));
  if (each.size === 0) return;
  // In order: two transactions that note the same must not wait for each other.
  const rows = [...each].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
  await transaction
    .insertInto("changed_days")
    .values(rows.map((row) => ({ ...row, changes: 1 })))
    .onConflict((conflict) =>
      conflict.columns(["dataset", "day"]).doUpdateSet((eb) => ({
        changes: eb("changed_days.changes", "+", 1),
      })),
    )
    .execute();
}

export interface ChangedDay {
  readonly dataset: Dataset;
  readonly day: string;
  /** How often, so that a later change is distinct from earlier ones. */
  readonly changes: number;
}

/** Those before a day, newest first. @throws DatabaseUnavailable */
export async function changedDays(
  db: Database,
  dataset: Dataset,
  beforeDay: string,
  limit: number,
): Promise<ChangedDay[]> {
  const rows = await db
    .selectFrom("changed_days")
    .select(["day", "changes"])
    .where("dataset", "=", dataset)
    .where("day", "<", beforeDay)
    .orderBy("day", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ dataset, ...row }));
}

/** Unless something changed since. */
export async function forgetChange(
  transaction: Database,
  { dataset, day, changes }: ChangedDay,
): Promise<void> {
  await transaction
    .deleteFrom("changed_days")
    .where((eb) => eb.and({ dataset, day, changes }))
    .execute();
}
