/** A history for the local world, which has just begun: 90 days of hourly samples around today's figures. */
import { Decimal } from "decimal.js";
import type { Database } from "../database/open.ts";
import { WINDOW_SECONDS } from "./liquidity.ts";
import { canonicalBps, type ImpactSample, recordImpactSamples } from "./samples.ts";

export const SIMULATED = "simulated";
const HOUR_SECONDS = 3_600;
const HISTORY_HOURS = 90 * 24;

export interface MeasuredImpact {
  readonly assetKey: string;
  /** As measured now; null: no route, and so it was all along. */
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
}

export interface BackfillDeps {
  readonly db: Database;
  readonly measured: readonly MeasuredImpact[];
  /** Unix seconds. */
  readonly now: number;
  /** From 0 up to 1, seeded by the caller. */
  random(): number;
  sessionAt(seconds: number): string;
}

/**
 * Records the history of each asset that has none, through the function that live samples take. An asset
 * that has samples of before the rolling window keeps its own history.
 * @returns the assets that were given one
 */
export async function backfillImpacts(deps: BackfillDeps): Promise<string[]> {
  const filled: string[] = [];
  for (const measured of deps.measured) {
    // Drawn in any case, so that one asset's history does not depend on whether another had its own.
    const samples = history(deps, measured);
    if (await hasHistory(deps.db, measured.assetKey, deps.now)) continue;
    await recordImpactSamples(deps.db, samples);
    filled.push(measured.assetKey);
  }
  return filled;
}

/**
 * Whether `backfillImpacts` would leave an asset alone. A few fresh samples are no history: the collector
 * may have been faster.
 * @param now unix seconds
 */
export async function hasHistory(db: Database, assetKey: string, now: number): Promise<boolean> {
  const old = await db
    .selectFrom("impact_samples")
    .select("sampled_at")
    .where("asset_key", "=", assetKey)
    .where("sampled_at", "<=", now - WINDOW_SECONDS)
    .limit(1)
    .executeTakeFirst();
  return old !== undefined;
}

/** Newest first, walking back from the measured figure; depth wanders and is drawn back to today's. */
function history(deps: BackfillDeps, measured: MeasuredImpact): ImpactSample[] {
  const lastHour = Math.floor(deps.now / HOUR_SECONDS) * HOUR_SECONDS;
  let wander = 0;
  return Array.from({ length: HISTORY_HOURS }, (_, hoursAgo) => {
    wander = wander * 0.9 + (deps.random() - 0.5) * 0.12;
    const noise = (deps.random() - 0.5) * 0.08;
    // A whole number of thousandths between 0.6 and 1.4: from here on the arithmetic is decimal.
    const factor = new Decimal(Math.round(Math.min(1_400, Math.max(600, 1_000 * (1 + wander + noise))))).div(
      1_000,
    );
    const sampledAt = lastHour - hoursAgo * HOUR_SECONDS;
    return {
      assetKey: measured.assetKey,
      sampledAt,
      source: SIMULATED,
      session: deps.sessionAt(sampledAt),
      impact1kBps: scaled(measured.impact1kBps, factor),
      impact10kBps: scaled(measured.impact10kBps, factor),
    };
  });
}

function scaled(impact: string | null, factor: Decimal): string | null {
  return impact === null ? null : canonicalBps(factor.times(impact));
}
