/** Hours with what they were computed from and where they are sealed: what `?inputs=1`, `?proof=1` and revisions show. */
import { sql } from "kysely";
import type { PointHour } from "../../attestor/points/point.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { HOUR_SECONDS, keyText } from "./buckets.ts";
import { readContent } from "./pointContent.ts";
import { saidHours } from "./saidHours.ts";

/** Where a revision is a leaf. */
export interface SealedAt {
  /** From 1. */
  readonly revision: number;
  /** When it was written, which says the hour of its tree. */
  readonly changedAt: UnixSeconds;
  /** Among the leaves of that hour. */
  readonly position: number;
}

export interface StatedHour {
  /** Unix seconds, start of the hour. */
  readonly hour: UnixSeconds;
  readonly said: PointHour;
  /** null: the hour is not sealed yet, or has changed since. */
  readonly sealed: SealedAt | null;
}

/**
 * Hours of a series whole, oldest first, at most `limit`; hours without samples are absent.
 * @param range unix seconds: hours that start at `from` or later and before `to`
 * @throws DatabaseUnavailable
 */
export async function statedHours(
  db: Database,
  series: string,
  { from, to }: { readonly from: UnixSeconds; readonly to: UnixSeconds },
  limit?: number,
): Promise<StatedHour[]> {
  const [first, end] = [Math.ceil(from / HOUR_SECONDS), Math.ceil(to / HOUR_SECONDS)];
  const rows = await db
    .selectFrom("hour_buckets as bucket")
    .leftJoin("points as point", (join) =>
      join
        .onRef("point.series_id", "=", "bucket.series_id")
        .onRef("point.hour", "=", "bucket.hour")
        .onRef("point.revision", "=", "bucket.revision")
        // The same said of the points, so that no other month is looked at.
        .on("point.hour", ">=", first)
        .on("point.hour", "<", end),
    )
    .select(["bucket.series_id", "bucket.hour"])
    .select(["point.revision", "point.changed_at", "point.position", "point.content"])
    .where("bucket.series_id", "=", (query) =>
      query.selectFrom("series").select("id").where("name", "=", series),
    )
    .where("bucket.hour", ">=", first)
    .where("bucket.hour", "<", end)
    .orderBy("bucket.hour")
    .$if(limit !== undefined, (query) => query.limit(limit as number))
    .execute();
  const open = rows.filter(({ content }) => content === null);
  const keys = open.map(({ series_id, hour }) => ({ seriesId: series_id, hour, series }));
  const standing = open.length === 0 ? new Map<string, PointHour>() : await saidHours(db, keys);
  const hours = rows.flatMap(({ series_id, hour, revision, changed_at, position, content }) => {
    const isSealed = content !== null && revision !== null && changed_at !== null && position !== null;
    const said = isSealed
      ? readContent(series, content)
      : standing.get(keyText({ seriesId: series_id, hour }));
    if (said === undefined) return [];
    const sealed = isSealed ? { revision, changedAt: changed_at, position } : null;
    return [{ hour: hour * HOUR_SECONDS, said, sealed }];
  });
  // Where one was retracted in between, others may be in its place: a page that lacks some would look like the last.
  return hours.length === rows.length ? hours : statedHours(db, series, { from, to }, limit);
}

/** Where a page of revisions begins: behind this one. */
export type RevisionPlace = readonly [changedAt: number, position: number];

/** One change of a sealed hour. */
export interface Revision {
  readonly place: RevisionPlace;
  readonly series: string;
  /** Unix seconds, start of the hour. */
  readonly hour: UnixSeconds;
  readonly revision: number;
  readonly changedAt: UnixSeconds;
  readonly change: "late" | "recomputed" | "retracted";
  /** null: there was nothing, or it was retracted. */
  readonly before: StatedHour | null;
  /** null: it was retracted. */
  readonly after: StatedHour | null;
}

/**
 * Changes of sealed hours and hours that were written late, in the order in which they were written.
 * @param wanted `series`: names; undefined: all. `from`, `to`: unix seconds of the change, the end exclusive
 * @throws DatabaseUnavailable
 */
export async function listRevisions(
  db: Database,
  {
    series,
    from = 0,
    to = Number.MAX_SAFE_INTEGER,
    after,
    limit,
  }: {
    readonly series?: readonly string[] | undefined;
    readonly from?: UnixSeconds | undefined;
    readonly to?: UnixSeconds | undefined;
    readonly after?: RevisionPlace | undefined;
    readonly limit: number;
  },
): Promise<Revision[]> {
  if (series?.length === 0) return [];
  const rows = await db
    .selectFrom("points as point")
    .innerJoin("series", "series.id", "point.series_id")
    .leftJoin("points as last", (join) =>
      join
        .onRef("last.series_id", "=", "point.series_id")
        .onRef("last.hour", "=", "point.hour")
        .on("last.revision", "=", sql<number>`point.revision - 1`),
    )
    .select(["series.name", "point.hour", "point.revision", "point.changed_at"])
    .select(["point.change", "point.content", "point.position"])
    .select([
      "last.content as before_content",
      "last.changed_at as before_changed_at",
      "last.position as before_position",
    ])
    .where("point.change", "is not", null)
    .where("point.changed_at", ">=", from)
    .where("point.changed_at", "<", to)
    .$if(series !== undefined, (query) => query.where("series.name", "in", series as string[]))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("point.changed_at", "point.position"), ">", tuple(...(after as RevisionPlace))),
      ),
    )
    .orderBy("point.changed_at")
    .orderBy("point.position")
    .limit(limit)
    .execute();
  return rows.flatMap((row) => {
    const { name: series, hour: at, revision, changed_at: changedAt, change } = row;
    if (change === null) return [];
    const hour = at * HOUR_SECONDS;
    const stated = (content: string | null, sealed: SealedAt) =>
      content === null ? null : { hour, said: readContent(series, content), sealed };
    const last = {
      revision: revision - 1,
      changedAt: row.before_changed_at ?? 0,
      position: row.before_position ?? 0,
    };
    return [
      {
        place: [changedAt, row.position] as const,
        ...{ series, hour, revision, changedAt, change },
        before: stated(row.before_content, last),
        after: stated(row.content, { revision, changedAt, position: row.position }),
      },
    ];
  });
}
