/**
 * Hours with the sample that closes each, from which its figures follow. Samples are kept for a shorter time than hours.
 * Hours and samples come from one statement, so that they always belong together.
 */
import { sql } from "kysely";
import type { Database } from "../database/open.ts";
import {
  type BasisPoint,
  basisIn,
  COLUMNS,
  type Hour,
  type PremiumPoint,
  premiumIn,
  type Range,
  withOrigins,
} from "./queries.ts";
import { basisFromStored, basisOf, basisSeries, type ParsedBasis } from "./series/basis.ts";
import { compareSamples, HOUR_SECONDS, rawKeptFrom, type SeriesSample } from "./series/buckets.ts";
import { type ParsedPremium, premiumFromStored, premiumOf, premiumSeries } from "./series/premium.ts";
import type { StoredSample } from "./series/stored.ts";

/** When an hour's last sample was taken: unix seconds. */
const CLOSED_AT = sql<number>`cast(hour_buckets.hour as bigint) * ${sql.lit(HOUR_SECONDS)} + hour_buckets.close_second`;

/** A point and the last sample of its hour. */
export interface Sampled<Point, Sample> {
  readonly point: Point;
  readonly sample: Sample;
}

/** Oldest first; hours without samples are absent, and so are those whose samples are no longer kept. @throws DatabaseUnavailable */
export async function sampledPremiums(
  db: Database,
  assetKey: string,
  range: Range,
): Promise<Sampled<PremiumPoint, ParsedPremium>[]> {
  const hours = await sampledHours(db, premiumSeries(assetKey), range, premiumFromStored);
  return hours.map(({ hour, closing }) => ({ point: premiumIn(hour), sample: premiumOf(closing) }));
}

/** As `sampledPremiums`, of one venue. @throws DatabaseUnavailable */
export async function sampledBases(
  db: Database,
  underlying: string,
  range: Range,
  venue: string,
): Promise<Sampled<BasisPoint, ParsedBasis>[]> {
  const hours = await sampledHours(db, basisSeries(venue, underlying), range, basisFromStored);
  return hours.map(({ hour, closing }) => ({ point: basisIn(hour), sample: basisOf(closing) }));
}

async function sampledHours(
  db: Database,
  series: string,
  { from, to }: Range,
  parse: Parse,
): Promise<{ readonly hour: Hour; readonly closing: StoredSample }[]> {
  const [first, end] = [Math.ceil(from / HOUR_SECONDS), Math.ceil(to / HOUR_SECONDS)];
  const rows = await db
    .selectFrom("hour_buckets")
    .innerJoin("raw_samples", (join) =>
      join
        .onRef("raw_samples.series_id", "=", "hour_buckets.series_id")
        .on("raw_samples.sampled_at", "=", CLOSED_AT),
    )
    .select(COLUMNS)
    .select(["raw_samples.sampled_at", "raw_samples.sample"])
    .where("hour_buckets.series_id", "=", (query) =>
      query.selectFrom("series").select("id").where("name", "=", series),
    )
    .where("hour", ">=", first)
    .where("hour", "<", end)
    .orderBy("hour")
    .execute();
  const closing = new Map<number, { row: (typeof rows)[number]; stored: StoredSample }>();
  for (const row of rows) {
    const stored = { series, sampledAt: row.sampled_at, text: row.sample };
    const other = closing.get(row.hour)?.stored;
    if (other === undefined || isLater(stored, other, parse)) closing.set(row.hour, { row, stored });
  }
  const each = [...closing.values()];
  const hours = await withOrigins(
    db,
    each.map(({ row }) => row),
  );
  return hours.map((hour, index) => ({ hour, closing: each[index]!.stored }));
}

/** By asset key; a token without hours is absent, and so is one whose newest sample is no longer kept. @throws DatabaseUnavailable */
export async function newestPremiums(
  db: Database,
  assetKeys: readonly string[],
): Promise<Map<string, Sampled<PremiumPoint, ParsedPremium>>> {
  if (assetKeys.length === 0) return new Map();
  // No older hour has its samples: other months are not looked at.
  const firstHour = Math.floor((await rawKeptFrom(db)) / HOUR_SECONDS);
  const rows = await db
    .selectFrom("series")
    // SQLite keeps the order of a cross join: it would read all samples first.
    .crossJoin("hour_buckets")
    .crossJoin("raw_samples")
    .whereRef("hour_buckets.series_id", "=", "series.id")
    .where("hour_buckets.hour", "=", (query) =>
      query
        .selectFrom("hour_buckets as each")
        .whereRef("each.series_id", "=", "series.id")
        .where("each.hour", ">=", firstHour)
        .select(({ fn }) => fn.max("each.hour").as("hour")),
    )
    .whereRef("raw_samples.series_id", "=", "hour_buckets.series_id")
    .where("raw_samples.sampled_at", "=", CLOSED_AT)
    .where("hour_buckets.hour", ">=", firstHour)
    .where("series.name", "in", assetKeys.map(premiumSeries))
    .select(COLUMNS)
    .select(["series.name", "raw_samples.sampled_at", "raw_samples.sample"])
    .execute();
  const newest = new Map<string, { row: (typeof rows)[number]; stored: StoredSample }>();
  for (const row of rows) {
    const stored = { series: row.name, sampledAt: row.sampled_at, text: row.sample };
    const other = newest.get(row.name)?.stored;
    if (other === undefined || isLater(stored, other, premiumFromStored))
      newest.set(row.name, { row, stored });
  }
  const each = [...newest.values()];
  const hours = await withOrigins(
    db,
    each.map(({ row }) => row),
  );
  return new Map(
    hours.map((hour, index) => {
      const sample = premiumOf(each[index]!.stored);
      return [sample.assetKey, { point: premiumIn(hour), sample }];
    }),
  );
}

type Parse = (stored: StoredSample) => SeriesSample;

/** Of several samples of one second the last by their order closes the hour. */
const isLater = (one: StoredSample, other: StoredSample, parse: Parse): boolean =>
  compareSamples(parse(one), parse(other)) > 0;
