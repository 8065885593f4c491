/**
 * What was struck out by hand: a span of a series whose samples count nowhere, with the reason. A strike stays,
 * so that the same sample cannot come back, and a series made again comes out the same.
 */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";

export interface Strike {
  /** `premium/<asset key>`, `basis/<venue>/<ticker>`, `impact/<asset key>`, `volume/<asset key>`. */
  readonly series: string;
  /** Unix seconds; the end is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly actor: string;
  readonly struckAt: UnixSeconds;
  /** What stood there, for the history: JSON. */
  readonly before: string;
}

/** @throws DatabaseUnavailable */
export async function recordStrike(db: Database, { from, to, struckAt, ...rest }: Strike): Promise<void> {
  await db
    .insertInto("strikes")
    .values({ ...rest, from_second: from, to_second: to, struck_at: struckAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether this very span was struck before. @throws DatabaseUnavailable */
export async function isStruck(
  db: Database,
  { series, from, to }: Pick<Strike, "series" | "from" | "to">,
): Promise<boolean> {
  const row = await db
    .selectFrom("strikes")
    .select("series")
    .where("series", "=", series)
    .where("from_second", "=", from)
    .where("to_second", "=", to)
    .executeTakeFirst();
  return row !== undefined;
}

/** All of them, newest first. @throws DatabaseUnavailable */
export async function strikeHistory(db: Database): Promise<Strike[]> {
  const rows = await db.selectFrom("strikes").selectAll().orderBy("struck_at", "desc").execute();
  return rows.map(({ from_second, to_second, struck_at, ...rest }) => ({
    ...rest,
    from: from_second,
    to: to_second,
    struckAt: struck_at,
  }));
}

/** The samples that no strike covers. @throws DatabaseUnavailable */
export async function withoutStruck<T extends { readonly sampledAt: number }>(
  db: Database,
  samples: readonly T[],
  seriesOf: (sample: T) => string,
): Promise<readonly T[]> {
  if (samples.length === 0) return samples;
  const times = samples.map(({ sampledAt }) => sampledAt);
  const spans = await db
    .selectFrom("strikes")
    .select(["series", "from_second", "to_second"])
    .where(
      "to_second",
      ">",
      times.reduce((one, other) => Math.min(one, other)),
    )
    .where(
      "from_second",
      "<=",
      times.reduce((one, other) => Math.max(one, other)),
    )
    .execute();
  if (spans.length === 0) return samples;
  return samples.filter(
    (sample) =>
      !spans.some(
        ({ series, from_second, to_second }) =>
          series === seriesOf(sample) && from_second <= sample.sampledAt && sample.sampledAt < to_second,
      ),
  );
}
