/** How well an asset can be bought: seven-day rolling medians of its impact samples, and a grade. */

import { gradeOf, LIQUIDITY_WINDOW_SECONDS, SUFFICIENT_SAMPLES } from "../../attestor/evidence/liquidity.ts";
import { liquidityOfSamples } from "../../attestor/evidence/samples.ts";
import type { Grade } from "../../attestor/policies/policy.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { chunksOf } from "./buckets.ts";
import { SAMPLE_COLUMNS } from "./samples.ts";

export interface Liquidity {
  /** By the median impact at $10k; null with fewer than 3 samples. */
  readonly grade: Grade | null;
  /** Samples in the window. */
  readonly sampleN: number;
  /** Basis points with up to four places; null: no route in the middle of the window, or no samples. */
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
  /** Unix seconds of the newest sample; null without samples. */
  readonly updatedAt: number | null;
  /** Source of the newest sample; null without samples. */
  readonly source: string | null;
}

/**
 * From the samples themselves.
 * @param now unix seconds; the window is the seven days that end with it
 * @throws DatabaseUnavailable
 */
export async function liquidityOf(db: Database, assetKey: string, now: number): Promise<Liquidity> {
  return (await windowOf(db, assetKey, now)).liquidity;
}

interface Window {
  readonly liquidity: Liquidity;
  /** Unix seconds: until then, exclusive, no sample leaves the window and none of those stored enters it. */
  readonly exactUntil: number;
}

async function windowOf(db: Database, assetKey: string, now: number): Promise<Window> {
  const stored = db
    .selectFrom("impact_samples")
    .where("asset_key", "=", assetKey)
    .where("sampled_at", ">", now - LIQUIDITY_WINDOW_SECONDS);
  const samples = await stored
    .select(SAMPLE_COLUMNS)
    .where("sampled_at", "<=", now)
    .orderBy("sampled_at")
    .orderBy("source")
    .execute();
  // A clock that ran ahead left samples of the future.
  const next = await stored
    .select("sampled_at")
    .where("sampled_at", ">", now)
    .orderBy("sampled_at")
    .limit(1)
    .executeTakeFirst();
  const oldest = samples[0];
  return {
    liquidity: oldest === undefined ? UNKNOWN : liquidityOfSamples({ samples }),
    exactUntil: Math.min(
      oldest === undefined ? FOREVER : oldest.sampledAt + LIQUIDITY_WINDOW_SECONDS,
      next?.sampled_at ?? FOREVER,
    ),
  };
}

/**
 * The same figures for many assets. Each asset's are cached for the span of time in which they are exact. It ends
 * with a new sample or with the first that leaves the window: only then is its week read again.
 * @param now unix seconds
 * @throws DatabaseUnavailable
 */
export async function scoresOf(
  db: Database,
  assetKeys: readonly string[],
  now: number,
): Promise<Map<string, Liquidity>> {
  const scores = new Map<string, Liquidity>(assetKeys.map((assetKey) => [assetKey, UNKNOWN]));
  for (const keys of chunksOf([...scores.keys()])) {
    const rows = await db.selectFrom("liquidity_scores").selectAll().where("asset_key", "in", keys).execute();
    for (const row of rows) {
      const exact = row.exact_from <= now && now < row.exact_until;
      scores.set(row.asset_key, exact ? liquidityFrom(row) : await rollScore(db, row, now));
    }
  }
  return scores;
}

const FOREVER = Number.MAX_SAFE_INTEGER;
const UNKNOWN: Liquidity = {
  grade: null,
  sampleN: 0,
  impact1kBps: null,
  impact10kBps: null,
  updatedAt: null,
  source: null,
};

function liquidityFrom(row: Schema["liquidity_scores"]): Liquidity {
  return {
    grade: row.sample_n < SUFFICIENT_SAMPLES ? null : gradeOf(row.impact_10k_bps),
    sampleN: row.sample_n,
    impact1kBps: row.impact_1k_bps,
    impact10kBps: row.impact_10k_bps,
    updatedAt: row.updated_at,
    source: row.source,
  };
}

/** Reads the week again, and keeps what comes of it, unless a sample was recorded meanwhile. */
async function rollScore(
  db: Database,
  { asset_key, revision }: Schema["liquidity_scores"],
  now: number,
): Promise<Liquidity> {
  const { liquidity, exactUntil } = await windowOf(db, asset_key, now);
  await db
    .updateTable("liquidity_scores")
    .set({
      exact_from: now,
      exact_until: exactUntil,
      sample_n: liquidity.sampleN,
      impact_1k_bps: liquidity.impact1kBps,
      impact_10k_bps: liquidity.impact10kBps,
      updated_at: liquidity.updatedAt,
      source: liquidity.source,
    })
    .where("asset_key", "=", asset_key)
    .where("revision", "=", revision)
    .execute();
  return liquidity;
}
