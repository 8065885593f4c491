/** What a buy cost at a moment, and the batches of such samples that evidence commits to. */
import { Decimal } from "decimal.js";
import { type RawBuilder, sql, type Transaction } from "kysely";
import { z } from "zod";
import {
  liquidityOfSamples,
  SAMPLES_SCHEMA,
  type SampleBatch,
  type SampledLiquidity,
  samplesRoot,
} from "../../attestor/evidence/samples.ts";
import { Text } from "../../attestor/values/primitives.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { columnList, givenRows } from "./given.ts";
import { record } from "./record.ts";

/** Decimal places that are kept: a ten-thousandth of a basis point. */
const IMPACT_PLACES = 4;

/** What a sample of an asset's impact is retracted under. */
const impactSeries = (assetKey: string): string => `impact/${assetKey}`;

const Impact = z
  .string()
  // With the places that are kept, no more digits than a double tells apart.
  .regex(/^-?[0-9]{1,10}(\.[0-9]{1,40})?$/, "must be a decimal number of basis points")
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

const COLUMNS = {
  asset_key: "text",
  sampled_at: "bigint",
  source: "text",
  session: "text",
  impact_1k_bps: "text",
  impact_10k_bps: "text",
} as const;

/** One text per number, rounded half up to four places: `"50"`, `"-0.25"`. */
function canonicalBps(value: string | Decimal): string {
  const rounded = new Decimal(value).toDecimalPlaces(IMPACT_PLACES, Decimal.ROUND_HALF_UP);
  return rounded.isZero() ? "0" : rounded.toFixed();
}

/**
 * Stores samples, as `record` says. Of two samples of one asset, moment and source the worse figure stands, for no route is
 * worse than any number. Scores follow with `writeScores`.
 */
export const recordImpacts = (db: Database, samples: readonly ImpactSample[], now: number) =>
  record(db, samples, now, {
    kind: "impact",
    sample: ImpactSample,
    subjectOf: ({ assetKey }) => assetKey,
    seriesOf: ({ assetKey }) => impactSeries(assetKey),
    implausible: () => null,
    store: storeImpacts,
  });

async function storeImpacts(
  transaction: Transaction<Schema>,
  samples: readonly ImpactSample[],
): Promise<void> {
  if (samples.length === 0) return;
  const columns = columnList(Object.keys(COLUMNS));
  await sql`insert into impact_samples (${columns})
    select ${columns} from ${givenRows(transaction, "given", COLUMNS, mergeRepeated(samples))}
    where true on conflict (asset_key, sampled_at, source) do update set
      session = case when excluded.session > impact_samples.session
        then excluded.session else impact_samples.session end,
      impact_1k_bps = ${worseInSql("impact_1k_bps")},
      impact_10k_bps = ${worseInSql("impact_10k_bps")}`.execute(transaction);
}

/** PostgreSQL refuses to touch a row twice in one statement. */
function mergeRepeated(samples: readonly ImpactSample[]): Schema["impact_samples"][] {
  const rows = new Map<string, Schema["impact_samples"]>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.assetKey, sample.sampledAt, sample.source]);
    const earlier = rows.get(key);
    rows.set(key, {
      asset_key: sample.assetKey,
      sampled_at: sample.sampledAt,
      source: sample.source,
      session: earlier && earlier.session > sample.session ? earlier.session : sample.session,
      impact_1k_bps: earlier ? worse(earlier.impact_1k_bps, sample.impact1kBps) : sample.impact1kBps,
      impact_10k_bps: earlier ? worse(earlier.impact_10k_bps, sample.impact10kBps) : sample.impact10kBps,
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

/**
 * An asset's newest samples up to a moment.
 * @param upTo unix seconds
 * @param count how many of them
 * @returns null where there are not so many
 * @throws DatabaseUnavailable
 */
export async function newestSamples(
  db: Database,
  assetKey: string,
  upTo: number,
  count: number,
): Promise<SampleBatch | null> {
  if (count === 0) return null;
  const rows = await db
    .selectFrom("impact_samples")
    .select([
      "sampled_at as sampledAt",
      "source",
      "impact_1k_bps as impact1kBps",
      "impact_10k_bps as impact10kBps",
    ])
    .where("asset_key", "=", assetKey)
    .where("sampled_at", "<=", upTo)
    .orderBy("sampled_at", "desc")
    .orderBy("source", "desc")
    .limit(count)
    .execute();
  if (rows.length < count) return null;
  return { schema: SAMPLES_SCHEMA, assetKey, samples: rows.reverse() };
}

export type RootOf = (assetKey: string, liquidity: SampledLiquidity) => Promise<string | null>;

/**
 * The roots of the batches that figures follow from; each batch is read and hashed once, however many ask.
 * @returns null where the figures do not follow from the stored samples, since one came or went meanwhile
 */
export function createSampleRoots(db: Database): RootOf {
  const lastRoots = new Map<string, { figures: string; root: string }>();
  return async (assetKey, liquidity) => {
    const figures = JSON.stringify(liquidity, Object.keys(liquidity).sort());
    const before = lastRoots.get(assetKey);
    if (before?.figures === figures) return before.root;
    const batch = await newestSamples(db, assetKey, liquidity.updatedAt, liquidity.sampleN);
    if (batch === null || !follows(liquidity, batch)) return null;
    const root = samplesRoot(batch);
    lastRoots.set(assetKey, { figures, root });
    return root;
  };
}

function follows(liquidity: SampledLiquidity, batch: SampleBatch): boolean {
  const again = liquidityOfSamples(batch);
  return (Object.keys(again) as (keyof SampledLiquidity)[]).every((name) => again[name] === liquidity[name]);
}
