/**
 * Seals hours. An hour that is over becomes a point with revision 1. A sealed hour that changes gets another
 * revision, and one that an operator retracts gets a revision without content. Every revision is a leaf of the tree
 * of the hour in which it was written. When that hour is over, the root of its tree goes into the decision log.
 *
 * Every change of a sealed hour is noted in `changed_hours` in the same transaction, so that none is missed.
 */
import { setImmediate } from "node:timers/promises";
import { sql, type Transaction } from "kysely";
import { HASHER } from "../../attestor/log/hasher.ts";
import { POINT_SCHEMA, type PointHour, pointText } from "../../attestor/points/point.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { ensureMonths } from "../../database/partitions.ts";
import type { Schema } from "../../database/schema.ts";
import { HOUR_SECONDS, type HourKey, keyText, lockSeries, tuplesOf } from "./buckets.ts";
import { contentText, readContent } from "./pointContent.ts";
import { appendLeaves, closeHours, type HourRoot, leavesOf } from "./pointTrees.ts";
import { type SeriesHour, saidHours } from "./saidHours.ts";

/** After the end of an hour its last round writes for so long. */
const SETTLING_SECONDS = 300;
/** Hours of one transaction, in which SQLite does nothing else. */
const HOURS_AT_ONCE = 100;

export interface SealDeps {
  readonly db: Database;
  now(): UnixMs;
  /** Whether to stop before all is sealed: the rest stays due. */
  isEnding?(): boolean;
  /** Puts the root of an hour into the decision log, in that transaction. */
  addEntry(transaction: Transaction<Schema>, root: HourRoot): Promise<void>;
}

/**
 * Seals what is due, and closes the trees of hours that are over.
 * @returns how many revisions were written
 * @throws DatabaseUnavailable
 */
export async function sealHours({ db, now, addEntry, isEnding = () => false }: SealDeps): Promise<number> {
  const second = () => Math.floor(now() / 1_000);
  await closeHours(db, Math.floor(second() / HOUR_SECONDS), addEntry);
  await noteEnded(db, second());
  let written = 0;
  for (;;) {
    const step = await sealSome(db, second());
    written += step.written;
    if (step.taken < HOURS_AT_ONCE || isEnding()) return written;
    // Requests are answered in between.
    await setImmediate();
  }
}

/** The first hour that is not over, or may still get samples of its last round. */
const endedBy = (now: UnixSeconds): number => Math.floor((now - SETTLING_SECONDS) / HOUR_SECONDS);

/** Every hour that is over is due once. */
async function noteEnded(db: Database, now: UnixSeconds): Promise<void> {
  const before = endedBy(now);
  await db.transaction().execute(async (transaction) => {
    const { sealedBefore } = await lockSeries(transaction);
    if (before * HOUR_SECONDS <= sealedBefore) return;
    // By series, since their hours are read by their key: SQLite keeps the order of a cross join.
    await sql`insert into changed_hours (series_id, hour)
      select hour_buckets.series_id, hour_buckets.hour from series
      cross join hour_buckets
      where hour_buckets.series_id = series.id and hour_buckets.hour >= ${sealedBefore / HOUR_SECONDS} and hour_buckets.hour < ${before}
      on conflict do nothing`.execute(transaction);
    await transaction
      .updateTable("market_state")
      .set({ value: before * HOUR_SECONDS })
      .where("name", "=", "sealed_before")
      .execute();
  });
}

interface Step {
  /** Hours that were due. */
  readonly taken: number;
  readonly written: number;
}

async function sealSome(db: Database, now: UnixSeconds): Promise<Step> {
  return await db.transaction().execute(async (transaction) => {
    await lockSeries(transaction);
    const due = await transaction
      .selectFrom("changed_hours")
      .innerJoin("series", "series.id", "changed_hours.series_id")
      .select(["series_id as seriesId", "hour", "name as series"])
      // A clock that was ahead may have noted hours that are still running.
      .where("hour", "<", endedBy(now))
      .orderBy("series_id")
      .orderBy("hour")
      .limit(HOURS_AT_ONCE)
      .execute();
    if (due.length === 0) return { taken: 0, written: 0 };
    const leaves = await leavesOf(transaction, Math.floor(now / HOUR_SECONDS));
    // Its hour is closed: a clock went back, or another process's is ahead.
    if (leaves === null) return { taken: 0, written: 0 };
    const { fresh, sealed } = await judge(transaction, due, now);
    const rows = fresh.map((revision, index) => ({ ...revision, position: leaves.count + index }));
    await ensureMonths(transaction, { points: rows.map(({ hour }) => hour * HOUR_SECONDS) });
    if (rows.length > 0) {
      await transaction
        .insertInto("points")
        .values(rows.map(({ series: _, said: __, seriesId, ...row }) => ({ series_id: seriesId, ...row })))
        .execute();
      await appendLeaves(transaction, leaves, rows.map(leafOf));
    }
    await markSealed(transaction, [...rows, ...sealed]);
    await transaction
      .deleteFrom("changed_hours")
      .where(sql<boolean>`(series_id, hour) in (values ${tuplesOf(due)})`)
      .execute();
    return { taken: due.length, written: rows.length };
  });
}

interface Sealed extends HourKey {
  readonly revision: number;
  readonly changed_at: UnixSeconds;
}

interface Fresh extends SeriesHour, Sealed {
  readonly change: Schema["points"]["change"];
  readonly content: string | null;
  readonly said: PointHour | null;
}

/** Which hours are not as their newest revision says, and which are. */
async function judge(transaction: Database, due: readonly SeriesHour[], now: UnixSeconds) {
  const known = await newestRevisions(transaction, due);
  const standing = await saidHours(transaction, due);
  const fresh: Fresh[] = [];
  const sealed: Sealed[] = [];
  for (const hour of due) {
    const last = known.get(keyText(hour));
    const said = withInputs(standing.get(keyText(hour)), hour.series, last?.content ?? null);
    const content = said === null ? null : contentText(hour.series, said);
    if (content !== (last?.content ?? null)) {
      const change = changeOf(hour, last, content, now);
      fresh.push({ ...hour, revision: (last?.revision ?? 0) + 1, changed_at: now, change, content, said });
    } else if (last !== undefined)
      sealed.push({ ...hour, revision: last.revision, changed_at: last.changed_at });
  }
  return { fresh, sealed };
}

/** Where the samples are gone by now, what the close was computed from is known of the same close alone. */
function withInputs(said: PointHour | undefined, series: string, before: string | null): PointHour | null {
  if (said === undefined) return null;
  if (said.inputs !== null || before === null) return said;
  const last = readContent(series, before);
  const isSame =
    last.closeBps === said.closeBps &&
    last.netEdgeBps === said.netEdgeBps &&
    last.sampledAt === said.sampledAt &&
    last.source === said.source;
  return isSame ? { ...said, inputs: last.inputs } : said;
}

function changeOf({ hour }: HourKey, last: unknown, content: string | null, now: UnixSeconds) {
  if (content === null) return "retracted";
  if (last !== undefined) return "recomputed";
  // In the hour after it, or that is past it too.
  return now >= (hour + 2) * HOUR_SECONDS ? "late" : null;
}

async function newestRevisions(transaction: Database, due: readonly SeriesHour[]) {
  const rows = await transaction
    .selectFrom("points")
    .select(["series_id", "hour", "revision", "changed_at", "content"])
    .where(sql<boolean>`(series_id, hour) in (values ${tuplesOf(due)})`)
    .orderBy("revision")
    .execute();
  return new Map(rows.map((row) => [keyText({ seriesId: row.series_id, hour: row.hour }), row]));
}

const leafOf = ({ series, hour, revision, changed_at, said }: Fresh): Uint8Array =>
  HASHER.leaf(
    utf8(
      pointText({
        schema: POINT_SCHEMA,
        series,
        t: hour * HOUR_SECONDS,
        revision,
        changedAt: changed_at,
        hour: said,
      }),
    ),
  );

/** Says at the hours which revision they are. */
async function markSealed(transaction: Database, sealed: readonly Sealed[]): Promise<void> {
  if (sealed.length === 0) return;
  const rows = sealed.map(
    ({ seriesId, hour, revision, changed_at }) =>
      sql`(cast(${seriesId} as integer), cast(${hour} as integer), cast(${revision} as integer), cast(${changed_at} as bigint))`,
  );
  await sql`update hour_buckets set revision = sealed.column3, changed_at = sealed.column4
    from (values ${sql.join(rows)}) as sealed
    where hour_buckets.series_id = sealed.column1 and hour_buckets.hour = sealed.column2
      and (hour_buckets.series_id, hour_buckets.hour) in (values ${tuplesOf(sealed)})`.execute(transaction);
}
