/**
 * Hour buckets of a series: the last figure of the hour, the extremes, and where the last one came from.
 *
 * A bucket is a function of the set of its samples: in whatever order they come, how late and how often,
 * the bucket is the same. Merging is commutative, associative and idempotent; only the count needs to know
 * which samples are new, and learns it from the raw samples.
 */
import { sql, type Transaction } from "kysely";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { type Database, engineOf } from "../../database/open.ts";
import { ensureMonths, withMonths } from "../../database/partitions.ts";
import type { Schema } from "../../database/schema.ts";
import { datasetOf, dayOf, noteChanged } from "./changedDays.ts";
import type { StoredSample } from "./stored.ts";
import { withoutStruck } from "./strikes.ts";

export const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const ROWS_PER_STATEMENT = 1_000;

export interface SeriesSample {
  /** `premium/<asset key>`, `basis/<ticker>`. */
  readonly series: string;
  readonly sampledAt: UnixSeconds;
  readonly origin: Origin;
  /** Ten-thousandths of a basis point; null: it could not be known. */
  readonly value: number | null;
  /** Of a premium: what is left of it after fees and impact. As `value`. */
  readonly netEdge: number | null;
  /** Of a basis: a year's funding. As `value`. */
  readonly fundingAnnual: number | null;
  /** Seconds between the reference price and the sample; null: no reference, or one of unknown age. */
  readonly referenceAge: number | null;
  /** Sources that agree; null: nobody counted them. */
  readonly witnesses: number | null;
  /** Between the outermost of them, as `value`; null: fewer than two agree. */
  readonly spread: number | null;
  /** What the series and the time do not say, as a JSON list: with them the sample's identity. */
  readonly text: string;
}

export interface Origin {
  readonly source: string;
  readonly session: string;
  /** Empty: no reference. */
  readonly referenceSource: string;
  /** Empty: there is no figure. */
  readonly state: string;
  /** Of a basis's funding; empty as before. */
  readonly fundingState: string;
  /** 1: the token is paused, or the stock halted. */
  readonly halted: number;
}

export type Bucket = ReturnType<typeof bucketOf>;

/** The bucket of one sample. @param samples 0 for one that was counted before */
function bucketOf(sample: SeriesSample, samples: number) {
  return {
    close: sample.value,
    lo: sample.value,
    hi: sample.value,
    netEdge: sample.netEdge,
    fundingAnnual: sample.fundingAnnual,
    referenceAge: sample.referenceAge,
    witnesses: sample.witnesses,
    spread: sample.spread,
    closeSecond: sample.sampledAt % HOUR_SECONDS,
    origin: sample.origin,
    samples,
  };
}

/** Two parts of one hour as one. */
function mergeBuckets(one: Bucket, other: Bucket): Bucket {
  const last = compareCloses(one, other) >= 0 ? one : other;
  return {
    close: last.close,
    lo: extreme(Math.min, one.lo, other.lo),
    hi: extreme(Math.max, one.hi, other.hi),
    netEdge: last.netEdge,
    fundingAnnual: last.fundingAnnual,
    referenceAge: last.referenceAge,
    witnesses: last.witnesses,
    spread: last.spread,
    closeSecond: last.closeSecond,
    origin: last.origin,
    samples: one.samples + other.samples,
  };
}

/** By time; of one moment by where they come from, then by their figures, so that there is always one last. */
function compareCloses(one: Bucket, other: Bucket): number {
  return (
    one.closeSecond - other.closeSecond ||
    compareTexts(keyOfOrigin(one.origin), keyOfOrigin(other.origin)) ||
    compareFigures(one.close, other.close) ||
    compareFigures(one.netEdge, other.netEdge) ||
    compareFigures(one.fundingAnnual, other.fundingAnnual) ||
    compareFigures(one.referenceAge, other.referenceAge) ||
    compareFigures(one.witnesses, other.witnesses) ||
    compareFigures(one.spread, other.spread)
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
 * @param alongside what else is kept of those that count, in the same transaction
 * @throws DatabaseUnavailable
 */
export async function recordSeries<S extends SeriesSample>(
  db: Database,
  given: readonly S[],
  alongside?: (transaction: Transaction<Schema>, samples: readonly S[]) => Promise<void>,
): Promise<void> {
  const samples = await withoutStruck(db, given, ({ series }) => series);
  if (samples.length === 0) return;
  const seriesIds = await idsOfSeries(db, [...new Set(samples.map(({ series }) => series))]);
  const originIds = await idsOfOrigins(
    db,
    samples.map(({ origin }) => origin),
  );
  const moments = samples.map(({ sampledAt }) => sampledAt);
  await withMonths(db, { hour_buckets: moments, raw_samples: moments }, () =>
    db.transaction().execute(async (transaction) => {
      const clearedBefore = await lockSeries(transaction);
      const fresh = await insertRaw(transaction, samples, seriesIds, clearedBefore);
      const parts = partsOf(samples, seriesIds, (seriesId, { sampledAt, text }) =>
        fresh.delete(identityOf(seriesId, sampledAt, text)) ? 1 : 0,
      );
      await mergeStored(transaction, parts, originIds);
      await noteChanged(
        transaction,
        samples.map(({ series, sampledAt }) => ({ dataset: datasetOf(series), day: dayOf(sampledAt) })),
      );
      await alongside?.(transaction, samples);
    }),
  );
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
 * Makes the buckets of whole hours again from the raw samples that are kept, without those that were struck.
 * @param parse a raw sample as one of a series
 * @param from unix seconds, start of an hour; not before the first that is kept
 * @param to unix seconds, exclusive, start of an hour
 * @param alongside what else is made again, in the same transaction; told the number of the series
 * @returns the hours that have a bucket now
 * @throws RangeError where raw samples are not kept any more; DatabaseUnavailable
 */
export async function recomputeSeries(
  db: Database,
  series: string,
  range: { readonly from: number; readonly to: number },
  parse: (stored: StoredSample) => SeriesSample,
  alongside?: (transaction: Transaction<Schema>, seriesId: number) => Promise<void>,
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
    const samples = await withoutStruck(
      transaction,
      rows.map(({ sample, sampled_at }) => parse({ series, sampledAt: sampled_at, text: sample })),
      () => series,
    );
    const origins = samples.map(({ origin }) => origin);
    const originIds = await idsOfOrigins(transaction, origins);
    const parts = partsOf(samples, seriesIds, () => 1);
    await ensureMonths(transaction, { hour_buckets: parts.map(({ hour }) => hour * HOUR_SECONDS) });
    await transaction
      .deleteFrom("hour_buckets")
      .where("series_id", "=", id)
      .where("hour", ">=", range.from / HOUR_SECONDS)
      .where("hour", "<", range.to / HOUR_SECONDS)
      .execute();
    await mergeStored(transaction, parts, originIds);
    await noteChanged(transaction, changedIn(series, range));
    await alongside?.(transaction, id);
    return parts.length;
  });
}

/** The days of a span of a series. @param range unix seconds, the end exclusive */
export function changedIn(series: string, { from, to }: { readonly from: number; readonly to: number }) {
  const days = [];
  for (let second = from - (from % DAY_SECONDS); second < to; second += DAY_SECONDS)
    days.push({ dataset: datasetOf(series), day: dayOf(second) });
  return days;
}

interface Keyed {
  readonly seriesId: number;
  readonly hour: number;
  readonly bucket: Bucket;
}

type Ids = ReadonlyMap<string, number>;

/**
 * Series are written by one at a time: what a bucket was is read before it is written. SQLite has one
 * writer anyway.
 * @returns unix seconds; older raw samples were cleared
 */
export async function lockSeries(transaction: Transaction<Schema>): Promise<number> {
  const state = await transaction
    .selectFrom("market_state")
    .select("value")
    .where("name", "=", "raw_cleared_before")
    .$if(engineOf(transaction) === "postgres", (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return state.value;
}

/**
 * Samples of hours whose raw samples were cleared are not kept again: whether they are new cannot be told
 * any more, so they count as known.
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
      .values(chunk)
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
    const rows = chunk.map(({ seriesId, hour, bucket }) => {
      const known = stored.get(`${seriesId}/${hour}`);
      const merged = known ? mergeBuckets(known, bucket) : bucket;
      return {
        series_id: seriesId,
        hour,
        close: merged.close,
        lo: merged.lo,
        hi: merged.hi,
        net_edge: merged.netEdge,
        funding_annual: merged.fundingAnnual,
        reference_age: merged.referenceAge,
        witnesses: merged.witnesses,
        spread: merged.spread,
        close_second: merged.closeSecond,
        origin_id: originIds.get(keyOfOrigin(merged.origin))!,
        samples: Math.max(1, merged.samples),
      };
    });
    await transaction
      .insertInto("hour_buckets")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["series_id", "hour"]).doUpdateSet((eb) => ({
          close: eb.ref("excluded.close"),
          lo: eb.ref("excluded.lo"),
          hi: eb.ref("excluded.hi"),
          net_edge: eb.ref("excluded.net_edge"),
          funding_annual: eb.ref("excluded.funding_annual"),
          reference_age: eb.ref("excluded.reference_age"),
          witnesses: eb.ref("excluded.witnesses"),
          spread: eb.ref("excluded.spread"),
          close_second: eb.ref("excluded.close_second"),
          origin_id: eb.ref("excluded.origin_id"),
          samples: eb.ref("excluded.samples"),
        })),
      )
      .execute();
  }
}

async function storedBuckets(
  transaction: Transaction<Schema>,
  keys: readonly Keyed[],
): Promise<Map<string, Bucket>> {
  const tuples = keys.map(
    ({ seriesId, hour }) => sql`(cast(${seriesId} as integer), cast(${hour} as integer))`,
  );
  const rows = await transaction
    .selectFrom("hour_buckets")
    .innerJoin("origins", "origins.id", "hour_buckets.origin_id")
    .selectAll("hour_buckets")
    .select(ORIGIN_COLUMNS)
    .where(sql<boolean>`(series_id, hour) in (values ${sql.join(tuples)})`)
    .execute();
  return new Map(
    rows.map((row) => [
      `${row.series_id}/${row.hour}`,
      {
        close: row.close,
        lo: row.lo,
        hi: row.hi,
        netEdge: row.net_edge,
        fundingAnnual: row.funding_annual,
        referenceAge: row.reference_age,
        witnesses: row.witnesses,
        spread: row.spread,
        closeSecond: row.close_second,
        origin: originOf(row),
        samples: row.samples,
      },
    ]),
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
      .values(
        missing.map(({ referenceSource, fundingState, ...rest }) => ({
          ...rest,
          reference_source: referenceSource,
          funding_state: fundingState,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    ids = await allOrigins(db);
  }
  return ids;
}

async function allOrigins(db: Database): Promise<Ids> {
  const rows = await db.selectFrom("origins").selectAll().execute();
  return new Map(rows.map((row) => [keyOfOrigin(originOf(row)), row.id]));
}

const ORIGIN_COLUMNS = [
  "origins.source",
  "origins.session",
  "origins.reference_source",
  "origins.state",
  "origins.funding_state",
  "origins.halted",
] as const;

type OriginRow = Omit<Schema["origins"], "id">;

const originOf = (row: OriginRow): Origin => ({
  source: row.source,
  session: row.session,
  referenceSource: row.reference_source,
  state: row.state,
  fundingState: row.funding_state,
  halted: row.halted,
});

function keyOfOrigin(origin: Origin): string {
  const { source, session, referenceSource, state, fundingState, halted } = origin;
  return JSON.stringify([source, session, referenceSource, state, fundingState, halted]);
}

export function* chunksOf<T>(list: readonly T[], size = ROWS_PER_STATEMENT): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
