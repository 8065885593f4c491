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
): Promise<ClosedHour[]> {
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
  return closedHours(
    db,
    rows.map((row) => ({ ...row, name: series })),
    parse,
  );
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
  const hours = await closedHours(db, rows, premiumFromStored);
  return new Map(
    hours.map(({ hour, closing }) => {
      const sample = premiumOf(closing);
      return [sample.assetKey, { point: premiumIn(hour), sample }];
    }),
  );
}

type Parse = (stored: StoredSample) => SeriesSample;

/** A row of an hour with one of the samples of its last second. */
type HourRow = Parameters<typeof withOrigins>[1][number] & {
  readonly name: string;
  readonly sampled_at: number;
  readonly sample: string;
};

interface ClosedHour {
  readonly hour: Hour;
  readonly closing: StoredSample;
}

/** Each hour once, in the order of its first row. Of several samples of one second the last by their order closes the hour. */
async function closedHours(db: Database, rows: readonly HourRow[], parse: Parse): Promise<ClosedHour[]> {
  const closed = new Map<string, { row: HourRow; stored: StoredSample }>();
  for (const row of rows) {
    const key = `${row.name} ${row.hour}`;
    const stored = { series: row.name, sampledAt: row.sampled_at, text: row.sample };
    const other = closed.get(key)?.stored;
    if (other === undefined || compareSamples(parse(stored), parse(other)) > 0)
      closed.set(key, { row, stored });
  }
  const each = [...closed.values()];
  const hours = await withOrigins(
    db,
    each.map(({ row }) => row),
  );
  return hours.map((hour, index) => ({ hour, closing: each[index]!.stored }));
}
