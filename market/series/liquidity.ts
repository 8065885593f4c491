/** How well an asset can be bought: seven-day rolling medians of its impact samples, and a grade. */
import { setImmediate } from "node:timers/promises";
import { sql, type Transaction } from "kysely";
import { gradeOf, LIQUIDITY_WINDOW_SECONDS, SUFFICIENT_SAMPLES } from "../../attestor/evidence/liquidity.ts";
import { medianImpact } from "../../attestor/evidence/samples.ts";
import type { Grade } from "../../attestor/policies/policy.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { asGiven, columnList, givenRows } from "./given.ts";
import { chunksOf, lockMarket } from "./hours.ts";

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

/** Weeks of samples that are read before others of this process have their turn. */
const ASSETS_AT_ONCE = 10;

/**
 * Computes the medians of assets from their samples: the collectors do so once a round.
 * @param now unix seconds; the window is the seven days that end with it
 * @throws DatabaseUnavailable
 */
export async function writeScores(db: Database, assetKeys: readonly string[], now: number): Promise<void> {
  for (const some of chunksOf(assetKeys, ASSETS_AT_ONCE)) {
    await db.transaction().execute(async (transaction) => {
      await lockMarket(transaction);
      await computeScores(transaction, some, now);
    });
    await setImmediate();
  }
}

const COLUMNS = {
  asset_key: "text",
  sample_n: "integer",
  impact_1k_bps: "text",
  impact_10k_bps: "text",
  updated_at: "bigint",
  source: "text",
} as const;

/** An asset's window in one row. Of lists of impacts an empty place is a sample without a route. */
interface Sampled {
  readonly asset_key: string;
  readonly sample_n: number;
  readonly impacts_1k: string | null;
  readonly impacts_10k: string | null;
  readonly updated_at: number | null;
  readonly source: string | null;
}

/** As `writeScores`, where nobody else writes the market. */
export async function computeScores(
  transaction: Transaction<Schema>,
  assetKeys: readonly string[],
  now: number,
): Promise<void> {
  const rows = assetKeys.map((asset_key) => ({ asset_key }));
  const since = now - LIQUIDITY_WINDOW_SECONDS;
  const { rows: sampled } = await sql<Sampled>`
    select asset.asset_key, count(sampled_at) as sample_n, max(sampled_at) as updated_at,
      string_agg(coalesce(impact_1k_bps, ''), ' ') as impacts_1k,
      string_agg(coalesce(impact_10k_bps, ''), ' ') as impacts_10k,
      (select newest.source from impact_samples as newest
        where newest.asset_key = asset.asset_key and newest.sampled_at > ${since} and newest.sampled_at <= ${now}
        order by newest.sampled_at desc, newest.source desc limit 1) as source
    from ${givenRows(transaction, "asset", { asset_key: "text" }, rows)}
    left join impact_samples on impact_samples.asset_key = asset.asset_key
      and impact_samples.sampled_at > ${since} and impact_samples.sampled_at <= ${now}
    group by asset.asset_key`.execute(transaction);
  const scores = sampled.map(({ asset_key, sample_n, impacts_1k, impacts_10k, updated_at, source }) => ({
    asset_key,
    sample_n: Number(sample_n),
    impact_1k_bps: medianOf(Number(sample_n), impacts_1k),
    impact_10k_bps: medianOf(Number(sample_n), impacts_10k),
    updated_at,
    source,
  }));
  const columns = columnList(Object.keys(COLUMNS));
  await sql`insert into liquidity_scores (${columns})
    select ${columns} from ${givenRows(transaction, "given", COLUMNS, scores)}
    where true on conflict (asset_key) do update set ${asGiven(Object.keys(COLUMNS))}`.execute(transaction);
}

/** @param impacts as `Sampled` has them. To sort so many thousands as texts would hold up everybody else. */
function medianOf(sampleN: number, impacts: string | null): string | null {
  if (sampleN === 0) return null;
  const sizes = Float64Array.from((impacts ?? "").split(" "), (impact) =>
    impact === "" ? Number.POSITIVE_INFINITY : Number(impact),
  ).sort();
  const middle = [sizes[Math.floor((sampleN - 1) / 2)], sizes[Math.floor(sampleN / 2)]];
  return medianImpact(middle.map((size) => (size === Number.POSITIVE_INFINITY ? null : String(size))));
}

const UNKNOWN: Liquidity = {
  grade: null,
  sampleN: 0,
  impact1kBps: null,
  impact10kBps: null,
  updatedAt: null,
  source: null,
};

/**
 * Of many assets, as the last round computed them. Where all samples have left the window since, nothing is known.
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
    const rows = await db
      .selectFrom("liquidity_scores")
      .selectAll()
      .where("asset_key", "in", keys)
      .where("updated_at", ">", now - LIQUIDITY_WINDOW_SECONDS)
      .execute();
    for (const row of rows) scores.set(row.asset_key, liquidityFrom(row));
  }
  return scores;
}

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
