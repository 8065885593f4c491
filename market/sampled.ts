/**
 * Samples from which figures follow: of each hour the one that closes it, and of each series the newest. Samples are kept
 * for a shorter time than hours. Hours and samples come from one statement, so that they always belong together.
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
import { basisOf, basisSeries, type ParsedBasis } from "./series/basis.ts";
import { chunksOf, HOUR_SECONDS, LAST_FIRST } from "./series/hours.ts";
import { type ParsedPremium, premiumFigures, premiumOf, premiumSeries } from "./series/premium.ts";
import type { StoredSample } from "./series/stored.ts";
import { bpsText } from "./series/units.ts";

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
  const hours = await sampledHours(db, premiumSeries(assetKey), range);
  return hours.map(({ hour, closing }) => ({ point: premiumIn(hour), sample: premiumOf(closing) }));
}

/** As `sampledPremiums`, of one venue. @throws DatabaseUnavailable */
export async function sampledBases(
  db: Database,
  underlying: string,
  range: Range,
  venue: string,
): Promise<Sampled<BasisPoint, ParsedBasis>[]> {
  const hours = await sampledHours(db, basisSeries(venue, underlying), range);
  return hours.map(({ hour, closing }) => ({ point: basisIn(hour), sample: basisOf(closing) }));
}

async function sampledHours(
  db: Database,
  series: string,
  { from, to }: Range,
): Promise<{ readonly hour: Hour; readonly closing: StoredSample }[]> {
  const rows = await db
    .selectFrom("hour_buckets")
    .innerJoin("raw_samples", (join) =>
      join
        .onRef("raw_samples.series_id", "=", "hour_buckets.series_id")
        .on("raw_samples.sampled_at", "=", CLOSED_AT),
    )
    .innerJoin("origins", "origins.id", "raw_samples.origin_id")
    .select(COLUMNS.map((column) => `hour_buckets.${column}` as const))
    .select(["raw_samples.sampled_at", "raw_samples.sample"])
    .where("hour_buckets.series_id", "=", (query) =>
      query.selectFrom("series").select("id").where("name", "=", series),
    )
    .where("hour", ">=", Math.ceil(from / HOUR_SECONDS))
    .where("hour", "<", Math.ceil(to / HOUR_SECONDS))
    .orderBy("hour")
    .orderBy(LAST_FIRST)
    .execute();
  const closing = rows.filter((row, index) => row.hour !== rows[index - 1]?.hour);
  const hours = await withOrigins(db, closing);
  return hours.map((hour, index) => {
    const { sampled_at: sampledAt, sample: text } = closing[index]!;
    return { hour, closing: { series, sampledAt, text } };
  });
}

/** A series' newest sample, and what follows from it: basis points as decimal text. */
export interface LatestPremium {
  readonly sample: ParsedPremium;
  /** Null: no reference price. */
  readonly premiumBps: string | null;
  readonly netEdgeBps: string | null;
  readonly spreadBps: string | null;
}

/** By asset key; a token without samples is absent. @throws DatabaseUnavailable */
export async function latestPremiums(
  db: Database,
  assetKeys: readonly string[],
): Promise<Map<string, LatestPremium>> {
  const latest = new Map<string, LatestPremium>();
  for (const keys of chunksOf(assetKeys)) {
    const rows = await db
      .selectFrom("series")
      .select(["name", "latest_at", "latest_sample"])
      .where("name", "in", keys.map(premiumSeries))
      .execute();
    for (const { name, latest_at, latest_sample } of rows) {
      if (latest_at === null || latest_sample === null) continue;
      const sample = premiumOf({ series: name, sampledAt: latest_at, text: latest_sample });
      const { close, net_edge, spread } = premiumFigures(sample);
      latest.set(sample.assetKey, {
        sample,
        premiumBps: bpsText(close),
        netEdgeBps: bpsText(net_edge),
        spreadBps: bpsText(spread),
      });
    }
  }
  return latest;
}
