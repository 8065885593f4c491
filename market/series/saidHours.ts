/** What an hour says as it stands: its bucket, and what its close was computed from as the raw samples tell it. */
import { sql } from "kysely";
import type { PointHour } from "../../attestor/points/point.ts";
import type { Database } from "../../database/open.ts";
import {
  type Bucket,
  closes,
  compareSamples,
  HOUR_SECONDS,
  type HourKey,
  keyText,
  storedBuckets,
} from "./buckets.ts";
import { kindOf } from "./pointContent.ts";
import type { StoredSample } from "./stored.ts";
import { bpsText } from "./units.ts";

/** An hour by the number of its series, and the name of that. */
export interface SeriesHour extends HourKey {
  readonly series: string;
}

/**
 * What hours say as they stand, with the inputs of the samples that close them. An hour without a bucket is absent.
 * @returns by `keyText`
 * @throws DatabaseUnavailable
 */
export async function saidHours(db: Database, hours: readonly SeriesHour[]): Promise<Map<string, PointHour>> {
  const buckets = await storedBuckets(db, hours);
  const samples = await closingSamples(db, hours, buckets);
  const said = new Map<string, PointHour>();
  for (const hour of hours) {
    const key = keyText(hour);
    const bucket = buckets.get(key);
    if (bucket !== undefined) said.set(key, saidOf(hour, bucket, samples.get(key) ?? []));
  }
  return said;
}

function saidOf({ series, hour }: SeriesHour, bucket: Bucket, samples: readonly StoredSample[]): PointHour {
  const { sampleOf, inputsOf } = kindOf(series);
  const closing = samples
    .map((stored) => ({ stored, sample: sampleOf(stored) }))
    .filter(({ sample }) => closes(sample, bucket))
    .sort((one, other) => compareSamples(one.sample, other.sample))
    .at(-1);
  const { origin } = bucket;
  return {
    closeBps: bpsText(bucket.close),
    loBps: bpsText(bucket.lo),
    hiBps: bpsText(bucket.hi),
    netEdgeBps: bpsText(bucket.net_edge),
    fundingAnnualBps: bpsText(bucket.funding_annual),
    sampledAt: hour * HOUR_SECONDS + bucket.close_second,
    samples: bucket.samples,
    source: origin.source,
    session: origin.session,
    referenceSource: orNull(origin.reference_source),
    referenceAgeSeconds: bucket.reference_age,
    state: orNull(origin.state) as PointHour["state"],
    fundingState: orNull(origin.funding_state) as PointHour["fundingState"],
    witnesses: bucket.witnesses,
    spreadBps: bpsText(bucket.spread),
    halted: origin.halted === 1,
    inputs: closing === undefined ? null : inputsOf(closing.stored),
  };
}

const orNull = (text: string) => (text === "" ? null : text);

/** By hour, the raw samples of the second in which it closes. */
async function closingSamples(
  db: Database,
  due: readonly SeriesHour[],
  buckets: ReadonlyMap<string, Bucket>,
): Promise<Map<string, StoredSample[]>> {
  const seconds = due.flatMap((hour) => {
    const bucket = buckets.get(keyText(hour));
    return bucket === undefined
      ? []
      : [{ seriesId: hour.seriesId, second: hour.hour * HOUR_SECONDS + bucket.close_second }];
  });
  const found = new Map<string, StoredSample[]>();
  if (seconds.length === 0) return found;
  const tuples = seconds.map(
    ({ seriesId, second }) => sql`(cast(${seriesId} as integer), cast(${second} as bigint))`,
  );
  const each = seconds.map(({ second }) => second);
  const rows = await db
    .selectFrom("raw_samples")
    .selectAll()
    .where(sql<boolean>`(series_id, sampled_at) in (values ${sql.join(tuples)})`)
    // The same said of the months, so that no other partition is looked at.
    .where("sampled_at", ">=", Math.min(...each))
    .where("sampled_at", "<=", Math.max(...each))
    .execute();
  const series = new Map(due.map((hour) => [hour.seriesId, hour.series]));
  for (const { series_id, sampled_at, sample } of rows) {
    const key = keyText({ seriesId: series_id, hour: Math.floor(sampled_at / HOUR_SECONDS) });
    const stored = { series: series.get(series_id) as string, sampledAt: sampled_at, text: sample };
    found.set(key, [...(found.get(key) ?? []), stored]);
  }
  return found;
}
