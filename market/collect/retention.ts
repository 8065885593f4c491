/** How long what is stored. Series and totals outlive the samples that they were made of. */
import { LIQUIDITY_WINDOW_SECONDS } from "../../attestor/evidence/liquidity.ts";
import type { Database } from "../../database/open.ts";
import { DAY_SECONDS, HOUR_SECONDS, lockMarket } from "../series/hours.ts";
import { dayOf } from "../series/totals.ts";

/** Monitoring looks at a day; a week shows what is new. */
const OUTCOME_DAYS = 7;

/** Days; null keeps forever. */
export interface Retention {
  /** Samples of premium and basis, without which an hour cannot be computed again. Older ones are rejected. */
  readonly rawDays: number | null;
  /** Samples of impact, of which scores need seven days. */
  readonly impactDays: number | null;
  /** Hour buckets: what the series endpoints serve. */
  readonly hourDays: number | null;
  /** Each day's last samples of volume and liquidity. */
  readonly volumeDays: number | null;
  readonly totalDays: number | null;
  readonly rejectedDays: number | null;
}

export const DEFAULT_RETENTION: Retention = {
  rawDays: 30,
  impactDays: 100,
  hourDays: 730,
  volumeDays: 30,
  totalDays: null,
  rejectedDays: 30,
};

/** The simulated market keeps the samples of all its history, so that every figure can be repeated from them. */
export const SIMULATED_RETENTION: Retention = { ...DEFAULT_RETENTION, rawDays: 100 };

/**
 * Deletes what is older: series by series, so that no statement blocks the database for long.
 * @param now unix seconds
 * @throws RangeError for a retention that would break what is kept; DatabaseUnavailable
 */
export async function clearOld(db: Database, retention: Retention, now: number): Promise<void> {
  check(retention);
  const before = (days: number) => now - days * DAY_SECONDS;
  if (retention.rawDays !== null) await clearRaw(db, before(retention.rawDays));
  if (retention.hourDays !== null) await clearHours(db, before(retention.hourDays));
  if (retention.impactDays !== null) await clearImpacts(db, before(retention.impactDays));
  if (retention.volumeDays !== null)
    await db
      .deleteFrom("volume_days")
      .where("day", "<", dayOf(before(retention.volumeDays)))
      .execute();
  if (retention.totalDays !== null)
    await db
      .deleteFrom("daily_totals")
      .where("day", "<", dayOf(before(retention.totalDays)))
      .execute();
  await db
    .deleteFrom("provider_outcomes")
    .where("hour", "<", Math.floor(before(OUTCOME_DAYS) / HOUR_SECONDS))
    .execute();
  if (retention.rejectedDays !== null)
    await db
      .deleteFrom("rejected_samples")
      .where("rejected_at", "<", before(retention.rejectedDays))
      .execute();
}

function check({ impactDays, volumeDays, ...others }: Retention): void {
  if (impactDays !== null && impactDays * DAY_SECONDS <= LIQUIDITY_WINDOW_SECONDS)
    throw new RangeError("impact samples must be kept for longer than the seven days of a score");
  if (volumeDays !== null && volumeDays < 8)
    throw new RangeError("volumes must be kept for eight days, until their day is surely closed");
  for (const [name, days] of Object.entries(others))
    if (days !== null && !(days >= 1)) throw new RangeError(`${name} must be at least one day`);
}

/** Whole hours alone: of an hour either all samples are there, or none is taken any more. */
async function clearRaw(db: Database, seconds: number): Promise<void> {
  const bound = Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS;
  await db.transaction().execute(async (transaction) => {
    const clearedBefore = await lockMarket(transaction);
    if (clearedBefore >= bound) return;
    await transaction
      .updateTable("market_state")
      .set({ value: bound })
      .where("name", "=", "raw_cleared_before")
      .execute();
  });
  for (const id of await seriesIds(db))
    await db.deleteFrom("raw_samples").where("series_id", "=", id).where("sampled_at", "<", bound).execute();
}

async function clearHours(db: Database, seconds: number): Promise<void> {
  const hour = Math.floor(seconds / HOUR_SECONDS);
  for (const id of await seriesIds(db))
    await db.deleteFrom("hour_buckets").where("series_id", "=", id).where("hour", "<", hour).execute();
  await db
    .updateTable("series")
    .set({ latest_at: null, latest_sample: null })
    .where("latest_at", "<", hour * HOUR_SECONDS)
    .execute();
}

async function clearImpacts(db: Database, seconds: number): Promise<void> {
  for (const { asset_key } of await db.selectFrom("liquidity_scores").select("asset_key").execute())
    await db
      .deleteFrom("impact_samples")
      .where("asset_key", "=", asset_key)
      .where("sampled_at", "<", seconds)
      .execute();
}

async function seriesIds(db: Database): Promise<number[]> {
  return (await db.selectFrom("series").select("id").execute()).map(({ id }) => id);
}
