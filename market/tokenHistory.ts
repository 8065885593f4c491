/** Read this first for one token over time: the prices behind its premium, and what buying it cost. */
import { gradeOf, LIQUIDITY_WINDOW_SECONDS, SUFFICIENT_SAMPLES } from "../attestor/evidence/liquidity.ts";
import { medianImpact } from "../attestor/evidence/samples.ts";
import type { Grade } from "../attestor/policies/policy.ts";
import type { Database } from "../database/open.ts";
import type { Range } from "./queries.ts";
import { sampledPremiums } from "./sampled.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "./series/buckets.ts";
import { type ImpactSample, SAMPLE_COLUMNS } from "./series/samples.ts";
import { pricePerShare } from "./series/units.ts";

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
  const hours = await sampledPremiums(db, assetKey, range);
  return hours.flatMap(({ point: { hour }, sample }) => {
    const { tokenPriceUsd, sharesPerToken, referencePriceUsd } = sample;
    // Where the sources of the price disagreed there is none.
    if (tokenPriceUsd === null || sharesPerToken === null) return [];
    const perShareUsd = pricePerShare(tokenPriceUsd, sharesPerToken) as string;
    return [{ hour, tokenUsd: tokenPriceUsd, sharesPerToken, perShareUsd, referenceUsd: referencePriceUsd }];
  });
}

type Impact = Omit<ImpactSample, "assetKey">;

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
  const samples = await db
    .selectFrom("impact_samples")
    .select([...SAMPLE_COLUMNS, "session"])
    .where("asset_key", "=", assetKey)
    .where("sampled_at", ">", from - LIQUIDITY_WINDOW_SECONDS)
    // A clock that ran ahead left samples of the future.
    .where("sampled_at", "<=", Math.min(to - 1, now))
    .orderBy("sampled_at")
    .orderBy("source")
    .execute();
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
