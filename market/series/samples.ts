/** What a buy cost at a moment: the market's raw material, written by this one function. */
import { Decimal } from "decimal.js";
import { type RawBuilder, sql, type Transaction } from "kysely";
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { chunksOf } from "./buckets.ts";
import { withoutRetracted } from "./retractions.ts";

/** Decimal places that are kept: a ten-thousandth of a basis point. */
const IMPACT_PLACES = 4;

/** A row's figures by the names that a batch of samples has for them. */
export const SAMPLE_COLUMNS = [
  "sampled_at as sampledAt",
  "source",
  "impact_1k_bps as impact1kBps",
  "impact_10k_bps as impact10kBps",
] as const;

/** What a sample of an asset's impact is retracted under. */
const impactSeries = (assetKey: string): string => `impact/${assetKey}`;

const Impact = z
  .string()
  .regex(/^-?[0-9]{1,12}(\.[0-9]{1,40})?$/, "must be a decimal number of basis points")
  .overwrite(canonicalBps)
  .nullable();

export const ImpactSample = z.strictObject({
  assetKey: Text.min(1).max(80),
  /** Unix seconds. */
  sampledAt: z.int().min(0),
  /** The source: a provider's name, or `simulated`. */
  source: Text.min(1).max(40),
  /** Of the stock market at that moment. */
  session: Text.min(1).max(24),
  /** Basis points that a buy of $1,000 is worse than a tiny one; null: no route. */
  impact1kBps: Impact,
  impact10kBps: Impact,
});
export type ImpactSample = z.infer<typeof ImpactSample>;

/** One text per number, rounded half up to four places: `"50"`, `"-0.25"`. */
export function canonicalBps(value: string | Decimal): string {
  const rounded = new Decimal(value).toDecimalPlaces(IMPACT_PLACES, Decimal.ROUND_HALF_UP);
  return rounded.isZero() ? "0" : rounded.toFixed();
}

/**
 * Stores samples, all or none. Any order and any repetition leaves the same rows: of two samples of one
 * asset, moment and source the worse figure stands, for no route is worse than any number.
 * @throws ZodError for a sample that does not fit; DatabaseUnavailable
 */
export async function recordImpactSamples(db: Database, samples: readonly ImpactSample[]): Promise<void> {
  const parsed = samples.map((sample) => ImpactSample.parse(sample));
  const rows = mergeRepeated(await withoutRetracted(db, parsed, ({ assetKey }) => impactSeries(assetKey)));
  if (rows.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    await outdateScores(transaction, [...new Set(rows.map(({ asset_key }) => asset_key))].sort());
    for (const chunk of chunksOf(rows))
      await transaction
        .insertInto("impact_samples")
        .values(chunk)
        .onConflict((conflict) =>
          conflict.columns(["asset_key", "sampled_at", "source"]).doUpdateSet({
            session: sql<string>`case when excluded.session > impact_samples.session
              then excluded.session else impact_samples.session end`,
            impact_1k_bps: worseInSql("impact_1k_bps"),
            impact_10k_bps: worseInSql("impact_10k_bps"),
          }),
        )
        .execute();
  });
}

/**
 * Takes the kept scores of assets for outdated. Comes first, so that of two recordings of an asset at once
 * the second waits here and its readers see both.
 */
export async function outdateScores(
  transaction: Transaction<Schema>,
  assetKeys: readonly string[],
): Promise<void> {
  const outdated = { exact_from: 0, exact_until: 0 };
  for (const chunk of chunksOf(assetKeys))
    await transaction
      .insertInto("liquidity_scores")
      .values(chunk.map((asset_key) => ({ asset_key, revision: 1, ...outdated, sample_n: 0 })))
      .onConflict((conflict) =>
        conflict
          .column("asset_key")
          .doUpdateSet({ revision: sql<number>`liquidity_scores.revision + 1`, ...outdated }),
      )
      .execute();
}

/** PostgreSQL refuses to touch a row twice in one statement. */
function mergeRepeated(samples: readonly ImpactSample[]): Schema["impact_samples"][] {
  const rows = new Map<string, Schema["impact_samples"]>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.assetKey, sample.sampledAt, sample.source]);
    const known = rows.get(key);
    rows.set(key, {
      asset_key: sample.assetKey,
      sampled_at: sample.sampledAt,
      source: sample.source,
      session: known && known.session > sample.session ? known.session : sample.session,
      impact_1k_bps: known ? worse(known.impact_1k_bps, sample.impact1kBps) : sample.impact1kBps,
      impact_10k_bps: known ? worse(known.impact_10k_bps, sample.impact10kBps) : sample.impact10kBps,
    });
  }
  return [...rows.values()];
}

function worse(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return new Decimal(one).gt(other) ? one : other;
}

function worseInSql(column: "impact_1k_bps" | "impact_10k_bps"): RawBuilder<string | null> {
  const [incoming, stored] = [sql.ref(`excluded.${column}`), sql.ref(`impact_samples.${column}`)];
  return sql`case when ${incoming} is null or ${stored} is null then null
    when cast(${incoming} as numeric) > cast(${stored} as numeric) then ${incoming} else ${stored} end`;
}
