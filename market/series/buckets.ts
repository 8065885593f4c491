/**
 * Hour buckets of a series: the last figure of the hour, the extremes, and where the last one came from.
 *
 * A bucket is a function of the set of its samples: their order, delay and repetition do not change it. Merging is
 * commutative, associative and idempotent; only the count needs to know which samples are new, and learns it from the
 * raw samples.
 */
import { sql, type Transaction } from "kysely";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { type Database, engineOf } from "../../database/open.ts";
import { asGiven, rowsOf } from "../../database/rows.ts";
import type { Schema } from "../../database/schema.ts";
import { withoutRetracted } from "./retractions.ts";
import type { StoredSample } from "./stored.ts";

export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;
const ROWS_PER_STATEMENT = 1_000;

const FIGURES = ["close", "net_edge", "funding_annual", "reference_age", "witnesses", "spread"] as const;
const ORIGIN = ["source", "session", "reference_source", "state", "funding_state", "halted"] as const;
type Figures = Pick<Schema["hour_buckets"], (typeof FIGURES)[number]>;
type Origin = Pick<Schema["origins"], (typeof ORIGIN)[number]>;

export interface SeriesSample {
  /** `premium/<asset key>`, `basis/<ticker>`. */
  readonly series: string;
  readonly sampledAt: UnixSeconds;
  readonly origin: Origin;
  readonly figures: Figures;
  /** What the series and the time do not say, as a JSON list: with them the sample's identity. */
  readonly text: string;
}

/** An hour, or a part of one: its figures are those of its last sample. */
interface Bucket extends Figures, Pick<Schema["hour_buckets"], "lo" | "hi" | "close_second" | "samples"> {
  readonly origin: Origin;
}

/** The bucket of one sample. @param samples 0 for one that was counted before */
function bucketOf({ figures, origin, sampledAt }: SeriesSample, samples: number): Bucket {
  const { close } = figures;
  return { ...figures, lo: close, hi: close, close_second: sampledAt % HOUR_SECONDS, origin, samples };
}

/** Two parts of one hour as one. */
function mergeBuckets(one: Bucket, other: Bucket): Bucket {
  const last = compareCloses(one, other) >= 0 ? one : other;
  const [lo, hi] = [extreme(Math.min, one.lo, other.lo), extreme(Math.max, one.hi, other.hi)];
  return { ...last, lo, hi, samples: one.samples + other.samples };
}

/** By time; of one moment by where they come from, then by their figures, so that there is always one last. */
function compareCloses(one: Bucket, other: Bucket): number {
  const differing = FIGURES.find((name) => one[name] !== other[name]);
  return (
    one.close_second - other.close_second ||
    compareTexts(keyOfOrigin(one.origin), keyOfOrigin(other.origin)) ||
    (differing === undefined ? 0 : compareFigures(one[differing], other[differing]))
  );
}

/** Which of two samples of a series is the later one: there is always one, unless they are the same. */
export const compareSamples = (one: SeriesSample, other: SeriesSample): number =>
  one.sampledAt - other.sampledAt ||
  compareCloses(bucketOf(one, 0), bucketOf(other, 0)) ||
  compareTexts(one.text, other.text);

const compareTexts = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
/** What is known comes after what is not. */
const compareFigures = (one: number | null, other: number | null) =>
  one === null || other === null ? Number(one !== null) - Number(other !== null) : one - other;

function extreme(pick: (...values: number[]) => number, one: number | null, other: number | null) {
  return one === null ? other : other === null ? one : pick(one, other);
}

/**
 * Stores samples, all or none, and brings their buckets up to date.
 * @throws DatabaseUnavailable
 */
export async function recordSeries(db: Database, given: readonly SeriesSample[]): Promise<void> {
  if (given.length === 0) return;
  const seriesIds = await idsOfSeries(db, [...new Set(given.map(({ series }) => series))]);
  const originIds = await idsOfOrigins(
    db,
    given.map(({ origin }) => origin),
  );
  await db.transaction().execute(async (transaction) => {
    const clearedBefore = await lockSeries(transaction);
    // A retraction recomputes the hours under the same lock: samples retracted by now stay out, later retractions
    // remove them.
    const samples = await withoutRetracted(transaction, given, ({ series }) => series);
    const fresh = await insertRaw(transaction, samples, seriesIds, clearedBefore);
    const parts = partsOf(samples, seriesIds, (seriesId, { sampledAt, text }) =>
      fresh.delete(identityOf(seriesId, sampledAt, text)) ? 1 : 0,
    );
    await mergeStored(transaction, parts, originIds);
  });
}

/** Samples as buckets of their hours. @param countOf how many new samples one stands for */
function partsOf(
  samples: readonly SeriesSample[],
  seriesIds: Ids,
  countOf: (seriesId: number, sample: SeriesSample) => number,
): Keyed[] {
  const parts = new Map<string, Keyed>();
  for (const sample of samples) {
    const seriesId = seriesIds.get(sample.series)!;
    const hour = Math.floor(sample.sampledAt / HOUR_SECONDS);
    const part = bucketOf(sample, countOf(seriesId, sample));
    const known = parts.get(`${seriesId}/${hour}`);
    parts.set(`${seriesId}/${hour}`, {
      seriesId,
      hour,
      bucket: known ? mergeBuckets(known.bucket, part) : part,
    });
  }
  return [...parts.values()];
}

/**
 * Makes the buckets of whole hours again from the raw samples that are kept, without those that were retracted.
 * @param parse a raw sample as one of a series
 * @param from unix seconds, start of an hour; not before the first that is kept
 * @param to unix seconds, exclusive, start of an hour
 * @returns the hours that have a bucket now
 * @throws RangeError where raw samples are not kept any more; DatabaseUnavailable
 */
export async function recomputeSeries(
  db: Database,
  series: string,
  range: { readonly from: number; readonly to: number },
  parse: (stored: StoredSample) => SeriesSample,
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    const clearedBefore = await lockSeries(transaction);
    if (range.from < clearedBefore)
      throw new RangeError(`raw samples are kept from ${new Date(clearedBefore * 1_000).toISOString()} on`);
    const seriesIds = await idsOfSeries(transaction, [series]);
    const id = seriesIds.get(series)!;
    const rows = await transaction
      .selectFrom("raw_samples")
      .select(["sample", "sampled_at"])
      .where("series_id", "=", id)
      .where("sampled_at", ">=", range.from)
      .where("sampled_at", "<", range.to)
      .execute();
    const samples = await withoutRetracted(
      transaction,
      rows.map(({ sample, sampled_at }) => parse({ series, sampledAt: sampled_at, text: sample })),
      () => series,
    );
    const origins = samples.map(({ origin }) => origin);
    const originIds = await idsOfOrigins(transaction, origins);
    const parts = partsOf(samples, seriesIds, () => 1);
    await dropHours(transaction, id, range);
    await mergeStored(transaction, parts, originIds);
    return parts.length;
  });
}

/**
 * Deletes hours of a series.
 * @param range unix seconds, starts of hours, the end exclusive
 */
export async function dropHours(
  transaction: Transaction<Schema>,
  seriesId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await transaction
    .deleteFrom("hour_buckets")
    .where("series_id", "=", seriesId)
    .where("hour", ">=", from / HOUR_SECONDS)
    .where("hour", "<", to / HOUR_SECONDS)
    .execute();
}

interface HourKey {
  readonly seriesId: number;
  /** Unix seconds / 3600. */
  readonly hour: number;
}

/** Rows for `where (series_id, hour) in (values …)`. */
const tuplesOf = (keys: readonly HourKey[]) =>
  sql.join(keys.map(({ seriesId, hour }) => sql`(cast(${seriesId} as integer), cast(${hour} as integer))`));

interface Keyed extends HourKey {
  readonly bucket: Bucket;
}

type Ids = ReadonlyMap<string, number>;

/**
 * Series are written by one at a time: what a bucket was is read before it is written. SQLite has one
 * writer anyway.
 * @returns unix seconds: older raw samples were cleared
 */
export async function lockSeries(transaction: Transaction<Schema>): Promise<UnixSeconds> {
  const cleared = await transaction
    .selectFrom("market_state")
    .select("value")
    .where("name", "=", "raw_cleared_before")
    .$if(engineOf(transaction) === "postgres", (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return cleared.value;
}

/** Unix seconds: older raw samples were cleared. @throws DatabaseUnavailable */
export async function rawKeptFrom(db: Database): Promise<UnixSeconds> {
  const cleared = await db
    .selectFrom("market_state")
    .select("value")
    .where("name", "=", "raw_cleared_before")
    .executeTakeFirstOrThrow();
  return cleared.value;
}

const RAW_COLUMNS = ["series_id", "sampled_at", "sample"] as const;
const OF_HOUR = [...FIGURES, "lo", "hi", "close_second", "origin_id", "samples"] as const;
const BUCKET_COLUMNS = ["series_id", "hour", ...OF_HOUR] as const;

/**
 * Samples of hours whose raw samples were cleared are not stored again. Whether they are new is no longer known, so
 * they count as known.
 * @returns the identities of those that are new
 */
async function insertRaw(
  transaction: Transaction<Schema>,
  samples: readonly SeriesSample[],
  seriesIds: Ids,
  clearedBefore: number,
): Promise<Set<string>> {
  const rows = new Map<string, { series_id: number; sampled_at: number; sample: string }>();
  for (const { series, sampledAt, text } of samples) {
    if (sampledAt < clearedBefore) continue;
    const seriesId = seriesIds.get(series)!;
    rows.set(identityOf(seriesId, sampledAt, text), {
      series_id: seriesId,
      sampled_at: sampledAt,
      sample: text,
    });
  }
  const fresh = new Set<string>();
  for (const chunk of chunksOf([...rows.values()]))
    for (const row of await transaction
      .insertInto("raw_samples")
      .columns(RAW_COLUMNS)
      .expression(rowsOf(transaction, "raw_samples", RAW_COLUMNS, chunk))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute())
      fresh.add(identityOf(row.series_id, row.sampled_at, row.sample));
  return fresh;
}

function identityOf(seriesId: number, sampledAt: number, text: string): string {
  return `${seriesId}/${sampledAt}/${text}`;
}

async function mergeStored(
  transaction: Transaction<Schema>,
  parts: readonly Keyed[],
  originIds: Ids,
): Promise<void> {
  for (const chunk of chunksOf(parts)) {
    const stored = await storedBuckets(transaction, chunk);
    const rows = chunk.flatMap(({ seriesId, hour, bucket }) => {
      const known = stored.get(keyText({ seriesId, hour }));
      const merged = known ? mergeBuckets(known, bucket) : bucket;
      if (known !== undefined && isSame(known, merged)) return [];
      const { origin, samples, ...figures } = merged;
      return {
        series_id: seriesId,
        hour,
        ...figures,
        samples: Math.max(1, samples),
        origin_id: originIds.get(keyOfOrigin(origin))!,
      };
    });
    if (rows.length === 0) continue;
    await transaction
      .insertInto("hour_buckets")
      .columns(BUCKET_COLUMNS)
      .expression(rowsOf(transaction, "hour_buckets", BUCKET_COLUMNS, rows))
      .onConflict((conflict) => conflict.columns(["series_id", "hour"]).doUpdateSet(asGiven(OF_HOUR)))
      .execute();
  }
}

/** Origins are compared by what they say. */
const isSame = (one: Bucket, other: Bucket) =>
  compareCloses(one, other) === 0 &&
  one.lo === other.lo &&
  one.hi === other.hi &&
  one.samples === Math.max(1, other.samples);

const keyText = ({ seriesId, hour }: HourKey): string => `${seriesId}/${hour}`;

/** By `keyText`. */
async function storedBuckets(transaction: Database, keys: readonly HourKey[]): Promise<Map<string, Bucket>> {
  const rows = await transaction
    .selectFrom("hour_buckets")
    .innerJoin("origins", "origins.id", "hour_buckets.origin_id")
    .select(["series_id", "hour", "lo", "hi", "close_second", "samples", ...FIGURES, ...ORIGIN])
    .where(sql<boolean>`(series_id, hour) in (values ${tuplesOf(keys)})`)
    .execute();
  return new Map(
    rows.map(
      ({ series_id, hour, source, session, reference_source, state, funding_state, halted, ...figures }) => [
        keyText({ seriesId: series_id, hour }),
        { ...figures, origin: { source, session, reference_source, state, funding_state, halted } },
      ],
    ),
  );
}

/** The numbers of these series; new ones get theirs. */
async function idsOfSeries(db: Database, names: readonly string[]): Promise<Ids> {
  const ids = new Map<string, number>();
  for (const chunk of chunksOf(names)) {
    const find = () => db.selectFrom("series").selectAll().where("name", "in", chunk).execute();
    let found = await find();
    if (found.length < chunk.length) {
      const known = new Set(found.map(({ name }) => name));
      const missing = chunk.filter((name) => !known.has(name)).map((name) => ({ name }));
      await db
        .insertInto("series")
        .values(missing)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      found = await find();
    }
    for (const { id, name } of found) ids.set(name, id);
  }
  return ids;
}

/** The numbers of these origins, of which there are few; new ones get theirs. */
async function idsOfOrigins(db: Database, origins: readonly Origin[]): Promise<Ids> {
  const wanted = new Map(origins.map((origin) => [keyOfOrigin(origin), origin]));
  let ids = await allOrigins(db);
  const missing = [...wanted].filter(([key]) => !ids.has(key)).map(([, origin]) => origin);
  if (missing.length > 0) {
    await db
      .insertInto("origins")
      .values(missing)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    ids = await allOrigins(db);
  }
  return ids;
}

async function allOrigins(db: Database): Promise<Ids> {
  const rows = await db.selectFrom("origins").selectAll().execute();
  return new Map(rows.map(({ id, ...origin }) => [keyOfOrigin(origin), id]));
}

const keyOfOrigin = (origin: Origin): string => JSON.stringify(ORIGIN.map((member) => origin[member]));

export function* chunksOf<T>(list: readonly T[], size = ROWS_PER_STATEMENT): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
