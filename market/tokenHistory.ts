/** Read this first for one token over time: the prices behind its premium, and what buying it cost. */
import { sql } from "kysely";
import { gradeOf, LIQUIDITY_WINDOW_SECONDS, SUFFICIENT_SAMPLES } from "../attestor/evidence/liquidity.ts";
import { medianImpact } from "../attestor/evidence/samples.ts";
import type { Grade } from "../attestor/policies/policy.ts";
import { type Database, engineOf } from "../database/open.ts";
import type { Range } from "./queries.ts";
import { HOUR_SECONDS } from "./series/buckets.ts";
import { premiumOf, premiumSeries } from "./series/premium.ts";
import { SeriesDecimal } from "./series/units.ts";

const DAY_SECONDS = 86_400;
/** Of US dollars per share: a quotient that ends nowhere ends here. */
const DOLLAR_PLACES = 12;

/** The prices of an hour's last premium sample; US dollars as decimal text. */
export interface PricePoint {
  /** Unix seconds, start of the hour. */
  readonly hour: number;
  /** Per whole token, as it trades: raw. */
  readonly tokenUsd: string;
  /** Shares that a whole token stands for, decimal text. */
  readonly sharesPerToken: string;
  /** `tokenUsd` for one share, up to 12 decimals: adjusted. */
  readonly perShareUsd: string;
  /** Per share of the stock; null: there was no reference. */
  readonly referenceUsd: string | null;
}

/** The last measurement of an hour, basis points as decimal text; null: there was no route. */
export interface ImpactPoint {
  /** Unix seconds, start of the hour. */
  readonly hour: number;
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
  readonly source: string;
  readonly session: string;
}

/** What the liquidity score was when a day ended, or, of the running day, what it is. */
export interface GradePoint {
  /** Unix seconds: the seven days of the medians end with it, itself included. */
  readonly at: number;
  /** null with fewer samples than a grade needs. */
  readonly grade: Grade | null;
  readonly sampleN: number;
  /** Medians, basis points with up to four places; null: no route in the middle, or no samples. */
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
}

/**
 * Oldest first; hours without samples are absent, and so are those whose samples are not kept any more.
 * @throws DatabaseUnavailable
 */
export async function pricePoints(db: Database, assetKey: string, range: Range): Promise<PricePoint[]> {
  const series = premiumSeries(assetKey);
  const [fromHour, toHour] = [range.from, range.to].map((at) => Math.ceil(at / HOUR_SECONDS)) as [
    number,
    number,
  ];
  const rows = await db
    .selectFrom("hour_buckets as bucket")
    .innerJoin("raw_samples as raw", (join) =>
      join
        .onRef("raw.series_id", "=", "bucket.series_id")
        .on(
          "raw.sampled_at",
          "=",
          sql<number>`cast(bucket.hour as bigint) * ${sql.lit(HOUR_SECONDS)} + bucket.close_second`,
        ),
    )
    .innerJoin("origins as origin", "origin.id", "bucket.origin_id")
    .select(["bucket.hour", "raw.sampled_at", "raw.sample", "origin.source"])
    .where("bucket.series_id", "=", (query) =>
      query.selectFrom("series").select("id").where("name", "=", series),
    )
    .where("bucket.hour", ">=", fromHour)
    .where("bucket.hour", "<", toHour)
    // The same said of the samples, so that no partition of another month is looked at.
    .$if(engineOf(db) === "postgres", (query) =>
      query
        .where("raw.sampled_at", ">=", fromHour * HOUR_SECONDS)
        .where("raw.sampled_at", "<", toHour * HOUR_SECONDS),
    )
    .orderBy("bucket.hour")
    .orderBy("raw.sample")
    .execute();
  const points = new Map<number, PricePoint>();
  for (const { hour, sampled_at, sample, source } of rows) {
    const stored = premiumOf({ series, sampledAt: sampled_at, text: sample });
    // Of several samples of one second the one that closes the hour is the point's.
    if (stored.source !== source) continue;
    const point = pricesOf(hour * HOUR_SECONDS, stored);
    if (point !== null) points.set(hour, point);
  }
  return [...points.values()];
}

/** @returns null where the sources of the price disagreed */
function pricesOf(hour: number, sample: ReturnType<typeof premiumOf>): PricePoint | null {
  const { tokenPriceUsd, sharesPerToken, referencePriceUsd } = sample;
  if (tokenPriceUsd === null || sharesPerToken === null) return null;
  const perShare = new SeriesDecimal(tokenPriceUsd).dividedBy(sharesPerToken).toDecimalPlaces(DOLLAR_PLACES);
  return {
    hour,
    tokenUsd: tokenPriceUsd,
    sharesPerToken,
    perShareUsd: perShare.toFixed(),
    referenceUsd: referencePriceUsd,
  };
}

interface Impact {
  readonly sampledAt: number;
  readonly source: string;
  readonly session: string;
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
}

/**
 * What buying cost, and the grades that came of it; both oldest first. Hours without samples and days without any in
 * their window are absent.
 * @param range whole hours; of its last day the grade is as of `now`
 * @param now unix seconds
 * @throws DatabaseUnavailable
 */
export async function impactHistory(
  db: Database,
  assetKey: string,
  { from, to }: Range,
  now: number,
): Promise<{ readonly hours: ImpactPoint[]; readonly grades: GradePoint[] }> {
  const rows = await db
    .selectFrom("impact_samples")
    .selectAll()
    .where("asset_key", "=", assetKey)
    .where("sampled_at", ">", from - LIQUIDITY_WINDOW_SECONDS)
    // A clock that ran ahead left samples of the future.
    .where("sampled_at", "<=", Math.min(to - 1, now))
    .orderBy("sampled_at")
    .orderBy("source")
    .execute();
  const samples = rows.map((row) => ({
    sampledAt: row.sampled_at,
    source: row.source,
    session: row.session,
    impact1kBps: row.impact_1k_bps,
    impact10kBps: row.impact_10k_bps,
  }));
  return { hours: lastOfHours(samples, from), grades: gradesOf(samples, dayEnds(from, Math.min(to, now))) };
}

function lastOfHours(samples: readonly Impact[], from: number): ImpactPoint[] {
  const hours = new Map<number, ImpactPoint>();
  for (const { sampledAt, ...rest } of samples) {
    const hour = sampledAt - (sampledAt % HOUR_SECONDS);
    if (hour >= from) hours.set(hour, { hour, ...rest });
  }
  return [...hours.values()];
}

/** The last second of each UTC day that has ended, and then `last`. */
function dayEnds(from: number, last: number): number[] {
  const ends: number[] = [];
  for (let next = from - (from % DAY_SECONDS) + DAY_SECONDS; next <= last; next += DAY_SECONDS)
    ends.push(next - 1);
  return ends.at(-1) === last ? ends : [...ends, last];
}

function gradesOf(samples: readonly Impact[], moments: readonly number[]): GradePoint[] {
  const medianOf = {
    impact1kBps: medians(samples, "impact1kBps"),
    impact10kBps: medians(samples, "impact10kBps"),
  };
  return moments.flatMap((at) => {
    const isIn = ({ sampledAt }: Impact) => sampledAt > at - LIQUIDITY_WINDOW_SECONDS && sampledAt <= at;
    const sampleN = samples.filter(isIn).length;
    if (sampleN === 0) return [];
    const impact10kBps = medianOf.impact10kBps(isIn);
    return {
      at,
      grade: sampleN < SUFFICIENT_SAMPLES ? null : gradeOf(impact10kBps),
      sampleN,
      impact1kBps: medianOf.impact1kBps(isIn),
      impact10kBps,
    };
  });
}

/** Medians of many windows of the same samples, which are sorted once. */
function medians(samples: readonly Impact[], size: "impact1kBps" | "impact10kBps") {
  const sizeOf = (sample: Impact) => {
    const text = sample[size];
    return text === null ? Number.POSITIVE_INFINITY : Number(text);
  };
  // The texts have at most four places: below 90 billion basis points, no two of them are the same number.
  const sorted = [...samples].sort((one, other) => {
    const [a, b] = [sizeOf(one), sizeOf(other)];
    return a < b ? -1 : a > b ? 1 : 0;
  });
  return (isIn: (sample: Impact) => boolean): string | null => {
    const inside = sorted.filter(isIn);
    const [lower, upper] = [(inside.length - 1) >> 1, inside.length >> 1].map(
      (place) => inside[place]![size],
    );
    return medianImpact([lower!, upper!]);
  };
}
