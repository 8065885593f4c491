/** How well an asset can be bought: seven-day rolling medians of its impact samples, and a grade. */
import { Decimal } from "decimal.js";
import type { Database } from "../database/open.ts";
import { canonicalBps } from "./samples.ts";

export const WINDOW_SECONDS = 7 * 86_400;
/** Fewer samples carry no grade. */
export const SUFFICIENT_SAMPLES = 3;

export type LiquidityGrade = "A" | "B" | "C" | "D";

const LIMITS: readonly (readonly [LiquidityGrade, number])[] = [
  ["A", 50],
  ["B", 150],
  ["C", 500],
];

export interface Liquidity {
  /** By the median impact at $10k; null with fewer than 3 samples. */
  readonly grade: LiquidityGrade | null;
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
 * @param now unix seconds; the window is the seven days that end with it
 * @throws DatabaseUnavailable
 */
export async function liquidityOf(db: Database, assetKey: string, now: number): Promise<Liquidity> {
  const samples = await db
    .selectFrom("impact_samples")
    .select(["sampled_at", "source", "impact_1k_bps", "impact_10k_bps"])
    .where("asset_key", "=", assetKey)
    .where("sampled_at", ">", now - WINDOW_SECONDS)
    .where("sampled_at", "<=", now)
    .orderBy("sampled_at")
    .orderBy("source")
    .execute();
  const newest = samples.at(-1);
  const impact10kBps = median(samples.map((sample) => sample.impact_10k_bps));
  return {
    grade: samples.length < SUFFICIENT_SAMPLES ? null : gradeOf(impact10kBps),
    sampleN: samples.length,
    impact1kBps: median(samples.map((sample) => sample.impact_1k_bps)),
    impact10kBps,
    updatedAt: newest?.sampled_at ?? null,
    source: newest?.source ?? null,
  };
}

/**
 * The median in which null, no route, is plus infinity; an infinite median is null, as is that of nothing.
 * Of an even number the mean of the two in the middle.
 */
export function median(impacts: readonly (string | null)[]): string | null {
  const sorted = impacts
    .map((impact) => new Decimal(impact ?? Number.POSITIVE_INFINITY))
    .sort((one, other) => one.comparedTo(other));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (!upper?.isFinite() || !lower?.isFinite()) return null;
  return canonicalBps(lower.plus(upper).dividedBy(2));
}

/**
 * Judges the figure as it is published, so that everyone can repeat the grade from the answer.
 * @param impact10kBps null: no route
 */
export function gradeOf(impact10kBps: string | null): LiquidityGrade {
  if (impact10kBps === null) return "D";
  // A price that improves with the size is no better than one that stays.
  const adverse = Decimal.max(0, impact10kBps);
  return LIMITS.find(([, limit]) => adverse.lte(limit))?.[0] ?? "D";
}
