/**
 * The hours of premium and basis. An hour is a function of its stored samples: whoever stores samples, repeats or retracts
 * them has the hours that they touch computed again from all that is stored, in the same transaction. So neither the order
 * of samples nor a crash changes a series.
 */
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { type Database, engineOf } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { asGiven, columnList, givenRows } from "./given.ts";

export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;
const ROWS_PER_STATEMENT = 1_000;

type Trx = Transaction<Schema>;

/** The order decides between samples of one second; see `LAST_FIRST`. */
const FIGURES = ["close", "net_edge", "funding_annual", "reference_age", "witnesses", "spread"] as const;
const ORIGIN = ["source", "session", "reference_source", "state", "funding_state", "halted"] as const;

export interface SeriesSample {
  /** `premium/<asset key>`, `basis/<venue>/<ticker>`. */
  readonly series: string;
  readonly sampledAt: UnixSeconds;
  readonly origin: Pick<Schema["origins"], (typeof ORIGIN)[number]>;
  readonly figures: Pick<Schema["raw_samples"], (typeof FIGURES)[number]>;
  /** What the series and the time do not say, as a JSON list: with them the sample's identity. */
  readonly text: string;
}

/** Unix seconds, the end exclusive. */
export interface Span {
  readonly from: UnixSeconds;
  readonly to: UnixSeconds;
}

/**
 * One at a time writes the market, until its transaction ends: what is computed from stored samples then misses none.
 * SQLite has one writer anyway.
 * @returns unix seconds: older samples are no longer kept
 */
export async function lockMarket(transaction: Trx): Promise<UnixSeconds> {
  const cleared = await transaction
    .selectFrom("market_state")
    .select("value")
    .where("name", "=", "raw_cleared_before")
    .$if(engineOf(transaction) === "postgres", (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return cleared.value;
}

/** Unix seconds: older samples are no longer kept. @throws DatabaseUnavailable */
export async function rawKeptFrom(db: Database): Promise<UnixSeconds> {
  const cleared = await db
    .selectFrom("market_state")
    .select("value")
    .where("name", "=", "raw_cleared_before")
    .executeTakeFirstOrThrow();
  return cleared.value;
}

/** Stores samples and computes their hours again. A sample that is stored already changes nothing. */
export async function storeSamples(transaction: Trx, samples: readonly SeriesSample[]): Promise<void> {
  if (samples.length === 0) return;
  await nameSeries(transaction, samples);
  const originIds = await idsOfOrigins(transaction, samples);
  const rows = samples.map(({ series, sampledAt, origin, figures, text }) => ({
    series,
    sampled_at: sampledAt,
    sample: text,
    origin_id: originIds.get(keyOfOrigin(origin))!,
    close: figures.close,
    net_edge: figures.net_edge,
    funding_annual: figures.funding_annual,
    reference_age: figures.reference_age,
    witnesses: figures.witnesses,
    spread: figures.spread,
  }));
  const columns = columnList(Object.keys(OF_SAMPLE));
  await sql`insert into raw_samples (series_id, ${columns})
    select series.id, ${columns} from ${givenRows(transaction, "given", { series: "text", ...OF_SAMPLE }, rows)}
    join series on series.name = given.series
    where true on conflict do nothing`.execute(transaction);
  const hours = hoursOf(samples);
  await computeHours(transaction, hours);
  await noteLatest(transaction, hours);
}

const OF_SAMPLE = {
  sampled_at: "bigint",
  sample: "text",
  origin_id: "integer",
  close: "bigint",
  net_edge: "bigint",
  funding_annual: "bigint",
  reference_age: "integer",
  witnesses: "integer",
  spread: "bigint",
} as const;

/** Deletes what a series has in a span: samples, and hours whose samples are no longer kept. The others are computed again. */
export async function dropSamples(transaction: Trx, series: string, { from, to }: Span): Promise<void> {
  await transaction
    .deleteFrom("raw_samples")
    .where("series_id", "=", idOf(series))
    .where("sampled_at", ">=", from)
    .where("sampled_at", "<", to)
    .execute();
  await recomputeHours(transaction, series, { from, to });
}

/**
 * Computes the hours again that a span touches. Of those whose samples are no longer kept none is left.
 * @returns how many hours have samples
 */
export async function recomputeHours(transaction: Trx, series: string, span: Span): Promise<number> {
  const [first, end] = [Math.floor(span.from / HOUR_SECONDS), Math.ceil(span.to / HOUR_SECONDS)];
  await transaction
    .deleteFrom("hour_buckets")
    .where("series_id", "=", idOf(series))
    .where("hour", ">=", first)
    .where("hour", "<", end)
    .execute();
  const samples = await transaction
    .selectFrom("raw_samples")
    .select("sampled_at")
    .where("series_id", "=", idOf(series))
    .where("sampled_at", ">=", first * HOUR_SECONDS)
    .where("sampled_at", "<", end * HOUR_SECONDS)
    .execute();
  const hours = hoursOf(samples.map(({ sampled_at }) => ({ series, sampledAt: sampled_at })));
  await computeHours(transaction, hours);
  await transaction
    .updateTable("series")
    .set({ latest_at: null, latest_sample: null })
    .where("name", "=", series)
    .where("latest_at", ">=", first * HOUR_SECONDS)
    .where("latest_at", "<", end * HOUR_SECONDS)
    .execute();
  const newest = await transaction
    .selectFrom("hour_buckets")
    .select("hour")
    .where("series_id", "=", idOf(series))
    .orderBy("hour", "desc")
    .limit(1)
    .execute();
  await noteLatest(
    transaction,
    newest.map(({ hour }) => ({ series, hour })),
  );
  return hours.length;
}

const idOf = (series: string) => sql<number>`(select id from series where name = ${series})`;

interface HourKey {
  readonly series: string;
  /** Unix seconds / 3600. */
  readonly hour: number;
}

/** The hours of samples, each once. */
function hoursOf(samples: readonly Pick<SeriesSample, "series" | "sampledAt">[]): HourKey[] {
  const hours = new Map<string, HourKey>();
  for (const { series, sampledAt } of samples) {
    const hour = Math.floor(sampledAt / HOUR_SECONDS);
    hours.set(`${series}/${hour}`, { series, hour });
  }
  return [...hours.values()];
}

/**
 * Of samples of one second the last one comes first: by where they come from, then by their figures, of which one that is
 * known comes after one that is not, then by their text. For `order by`, where samples and their origins are joined.
 */
export const LAST_FIRST: RawBuilder<unknown> = sql.join([
  ...ORIGIN.map((column) => sql`${sql.ref(`origins.${column}`)} desc`),
  ...FIGURES.map((column) => sql`${sql.ref(`raw_samples.${column}`)} desc nulls last`),
  sql`raw_samples.sample desc`,
]);

const OF_LAST_SAMPLE = ["origin_id", ...FIGURES];
const OF_HOUR = ["close_second", ...OF_LAST_SAMPLE, "lo", "hi", "samples"];
const HOUR_KEY = { series: "text", hour: "integer" } as const;
/** Unix seconds. */
const START = sql`cast(touched.hour as bigint) * ${sql.lit(HOUR_SECONDS)}`;

/** The one rule: extremes and count of an hour's samples, and what its last one says. */
async function computeHours(transaction: Trx, hours: readonly HourKey[]): Promise<void> {
  if (hours.length === 0) return;
  const inHour = sql`raw_samples.series_id = series.id and raw_samples.sampled_at >= ${START}
    and raw_samples.sampled_at < ${START} + ${sql.lit(HOUR_SECONDS)}`;
  const sampled = sql`
    select series.id as series_id, touched.hour, max(raw_samples.sampled_at) as last_at,
      max(raw_samples.sampled_at) - ${START} as close_second,
      min(raw_samples.close) as lo, max(raw_samples.close) as hi, count(*) as samples
    from ${givenRows(transaction, "touched", HOUR_KEY, hours)}
    join series on series.name = touched.series
    ${joinSamples(transaction, inHour)}
    group by series.id, touched.hour`;
  await sql`insert into hour_buckets (series_id, hour, ${columnList(OF_HOUR)})
    select series_id, hour, ${columnList(OF_HOUR)} from (${lastSamples(transaction, sampled, OF_LAST_SAMPLE)}) as last
    where place = 1
    on conflict (series_id, hour) do update set ${asGiven(OF_HOUR)}`.execute(transaction);
}

/** What closes the newest of these hours is its series' latest sample, unless that is of a later hour. */
async function noteLatest(transaction: Trx, hours: readonly HourKey[]): Promise<void> {
  const newest = new Map<string, HourKey>();
  for (const each of hours)
    if (each.hour >= (newest.get(each.series)?.hour ?? 0)) newest.set(each.series, each);
  const sampled = sql`
    select named.id as series_id, touched.hour, ${START} + hour_buckets.close_second as last_at
    from ${givenRows(transaction, "touched", HOUR_KEY, [...newest.values()])}
    join series as named on named.name = touched.series
    join hour_buckets on hour_buckets.series_id = named.id and hour_buckets.hour = touched.hour
    where named.latest_at is null or touched.hour >= named.latest_at / ${sql.lit(HOUR_SECONDS)}`;
  await sql`update series set latest_at = last.last_at, latest_sample = last.sample
    from (${lastSamples(transaction, sampled, ["sample"])}) as last
    where last.series_id = series.id and last.place = 1`.execute(transaction);
}

/**
 * The samples of an hour's last second, each with its place by `LAST_FIRST`.
 * @param sampled a query of hours, which has that second as `last_at`
 * @param columns of the samples
 */
function lastSamples(transaction: Trx, sampled: RawBuilder<unknown>, columns: readonly string[]) {
  const inSecond = sql`raw_samples.series_id = sampled.series_id and raw_samples.sampled_at = sampled.last_at`;
  return sql`
    select sampled.*, ${sql.join(columns.map((column) => sql.ref(`raw_samples.${column}`)))},
      row_number() over (partition by sampled.series_id, sampled.hour order by ${LAST_FIRST}) as place
    from (${sampled}) as sampled ${joinSamples(transaction, inSecond)}
    left join origins on origins.id = raw_samples.origin_id`;
}

/**
 * Joins samples that are looked up in their index, row by row. SQLite takes a cross join in its order, as it does a left
 * one. PostgreSQL would rather read the whole table than look up thousands of rows, unless a subquery stands in between.
 */
const joinSamples = (db: Database, condition: RawBuilder<unknown>) =>
  engineOf(db) === "postgres"
    ? sql`cross join lateral (select * from raw_samples where ${condition} offset 0) as raw_samples`
    : sql`cross join raw_samples on ${condition}`;

type Ids = ReadonlyMap<string, number>;

/** New series get their numbers. */
async function nameSeries(transaction: Trx, samples: readonly SeriesSample[]): Promise<void> {
  const names = [...new Set(samples.map(({ series }) => series))].map((name) => ({ name }));
  const given = givenRows(transaction, "given", { name: "text" }, names);
  await sql`insert into series (name) select given.name from ${given}
    left join series on series.name = given.name where series.id is null`.execute(transaction);
}

/** The numbers of the samples' origins, of which there are few; new ones get theirs. */
async function idsOfOrigins(transaction: Trx, samples: readonly SeriesSample[]): Promise<Ids> {
  const wanted = new Map(samples.map(({ origin }) => [keyOfOrigin(origin), origin]));
  let ids = await allOrigins(transaction);
  const missing = [...wanted].filter(([key]) => !ids.has(key)).map(([, origin]) => origin);
  if (missing.length > 0) {
    await transaction
      .insertInto("origins")
      .values(missing)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    ids = await allOrigins(transaction);
  }
  return ids;
}

async function allOrigins(transaction: Trx): Promise<Ids> {
  const rows = await transaction.selectFrom("origins").selectAll().execute();
  return new Map(rows.map(({ id, ...origin }) => [keyOfOrigin(origin), id]));
}

const keyOfOrigin = (origin: SeriesSample["origin"]): string =>
  JSON.stringify(ORIGIN.map((member) => origin[member]));

export function* chunksOf<T>(list: readonly T[], size = ROWS_PER_STATEMENT): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
