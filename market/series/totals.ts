/** Volume and liquidity: the last sample of each day, and the day's totals as of UTC midnight. */
import { sql } from "kysely";
import { z } from "zod";
import type { Database } from "../../database/open.ts";
import { asGiven } from "../../database/rows.ts";
import type { Schema } from "../../database/schema.ts";
import { chunksOf, DAY_SECONDS, lockSeries } from "./buckets.ts";
import { Amount, AssetKey, FigureState, Halted, Stamp } from "./fields.ts";
import { MAX_AHEAD_SECONDS, recordPlausible } from "./rejected.ts";
import { withoutRetracted } from "./retractions.ts";
import { SeriesDecimal, sumOf } from "./units.ts";

/** Older than this before midnight, a sample says nothing about midnight. */
const SNAPSHOT_SECONDS = 3_600;
/** More than any stock's market does in a day is a slip of units. */
const MAX_USD = "1000000000000";
/** A token with data so many days before a day is expected to have it: a provider may be down for longer than a night. */
const EXPECTED_DAYS = 7;
/** How far back a day that was never closed is looked for. */
const DAYS_LOOKED_BACK = 7;

export const VolumeSample = z.strictObject({
  assetKey: AssetKey,
  ...Stamp,
  /** US dollars over all pools; null: not known, or disputed. */
  volume24hUsd: Amount.nullable(),
  liquidityUsd: Amount.nullable(),
  /** `disputed`: one of the figures cannot be believed. The token is missing in the totals. */
  state: FigureState,
  /** Whether the token is paused or its stock halted: it counts in no total then. */
  halted: Halted,
});
export type VolumeSample = z.input<typeof VolumeSample>;
type Parsed = z.output<typeof VolumeSample>;

export interface Scoped {
  readonly assetKey: string;
  readonly issuer: string;
  readonly chain: string;
}

/** `YYYY-MM-DD` of a unix second, UTC. */
export function dayOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}

/** Unix seconds of the midnight that ends a day. */
export function endOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1_000 + DAY_SECONDS;
}

/** Stores the last sample of each asset and day, as of `recordPlausible`. */
export const recordVolumes = (db: Database, samples: readonly VolumeSample[], now: number) =>
  recordPlausible(db, samples, now, {
    kind: "volume",
    sample: VolumeSample,
    subjectOf: ({ assetKey }) => assetKey,
    implausible,
    store: (plausible) => storeVolumes(db, plausible),
  });

async function storeVolumes(db: Database, plausible: readonly Parsed[]): Promise<void> {
  const counted = await withoutRetracted(db, plausible, ({ assetKey }) => volumeSeries(assetKey));
  const rows = new Map<string, Schema["volume_days"]>();
  for (const row of counted.map(toRow)) {
    const known = rows.get(keyOf(row));
    rows.set(keyOf(row), known ? later(known, row) : row);
  }
  await db.transaction().execute(async (transaction) => {
    await lockSeries(transaction);
    for (const chunk of chunksOf([...rows.values()])) {
      const keys = chunk.map(({ day, asset_key }) => sql`(cast(${day} as text), cast(${asset_key} as text))`);
      const stored = await transaction
        .selectFrom("volume_days")
        .selectAll()
        .where(sql<boolean>`(day, asset_key) in (values ${sql.join(keys)})`)
        .execute();
      const known = new Map(stored.map((row) => [keyOf(row), row]));
      const merged = chunk
        .map((row) => {
          const before = known.get(keyOf(row));
          return before ? later(before, row) : row;
        })
        .filter((row) => known.get(keyOf(row)) !== row);
      if (merged.length === 0) continue;
      await transaction
        .insertInto("volume_days")
        .values(merged)
        .onConflict((conflict) =>
          conflict
            .columns(["day", "asset_key"])
            .doUpdateSet(
              asGiven(["sampled_at", "source", "session", "volume_24h_usd", "liquidity_usd", "halted"]),
            ),
        )
        .execute();
      // Totals of these days are made again with the next round.
      await transaction
        .updateTable("daily_totals")
        .set({ late: 1 })
        .where("day", "in", [...new Set(merged.map(({ day }) => day))])
        .execute();
    }
  });
}

/** US dollars. */
export interface DayFigures {
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string;
  readonly sampledAt: number;
}

/** By asset key, the newest of today and yesterday. @param now unix seconds @throws DatabaseUnavailable */
export async function newestVolumes(db: Database, now: number): Promise<Map<string, DayFigures>> {
  const newest = new Map<string, DayFigures>();
  for (const day of [dayOf(now - DAY_SECONDS), dayOf(now)]) {
    const rows = await db.selectFrom("volume_days").selectAll().where("day", "=", day).execute();
    for (const { asset_key, sampled_at: sampledAt, volume_24h_usd, liquidity_usd } of rows)
      if (liquidity_usd !== null)
        newest.set(asset_key, { volume24hUsd: volume_24h_usd, liquidityUsd: liquidity_usd, sampledAt });
  }
  return newest;
}

/** What a day's volume of an asset is retracted under. */
const volumeSeries = (assetKey: string): string => `volume/${assetKey}`;

function implausible(sample: Parsed): string | null {
  const absurd = [sample.volume24hUsd, sample.liquidityUsd].some(
    (usd) => usd !== null && new SeriesDecimal(usd).gt(MAX_USD),
  );
  return absurd ? "absurd_amount" : null;
}

function toRow(sample: Parsed): Schema["volume_days"] {
  return {
    day: dayOf(sample.sampledAt),
    asset_key: sample.assetKey,
    sampled_at: sample.sampledAt,
    source: sample.source,
    session: sample.session,
    volume_24h_usd: sample.volume24hUsd,
    liquidity_usd: sample.liquidityUsd,
    halted: sample.halted ? 1 : 0,
  };
}

const keyOf = ({ day, asset_key }: Pick<Schema["volume_days"], "day" | "asset_key">) => `${day}/${asset_key}`;

/** Of one moment the one whose text is greater, so that there is always one last. */
function later(one: Schema["volume_days"], other: Schema["volume_days"]): Schema["volume_days"] {
  if (one.sampled_at !== other.sampled_at) return one.sampled_at > other.sampled_at ? one : other;
  const text = (row: Schema["volume_days"]) =>
    JSON.stringify([row.source, row.session, row.volume_24h_usd, row.liquidity_usd, row.halted]);
  return text(one) >= text(other) ? one : other;
}

/**
 * Writes the totals of the days that have ended: `all`, every issuer and every chain that has data. A day
 * counts under the date that ended at its midnight, by each asset's last sample in the hour before it; a day
 * without such samples stays absent. A day is written again for every sample that comes late, and in the hour
 * after its end.
 * @param now unix seconds
 * @returns the days that were written
 */
export async function closeDays(db: Database, assets: readonly Scoped[], now: number): Promise<string[]> {
  const today = dayOf(now);
  const since = dayOf(now - DAYS_LOOKED_BACK * DAY_SECONDS);
  const sampled = await db
    .selectFrom("volume_days")
    .select("day")
    .distinct()
    .where("day", ">=", since)
    .where("day", "<", today)
    .execute();
  const closed = await db
    .selectFrom("daily_totals")
    .select(["day", "late"])
    .where("day", ">=", since)
    .where("scope", "=", "all")
    .execute();
  const settled = new Set(closed.filter(({ late }) => late === 0).map(({ day }) => day));
  const written: string[] = [];
  for (const { day } of sampled)
    if (!settled.has(day) || now < endOf(day) + SNAPSHOT_SECONDS)
      if (await snapshotDay(db, assets, day)) written.push(day);
  return written.sort();
}

/** @returns false for a day that has no samples of its end */
export async function snapshotDay(db: Database, assets: readonly Scoped[], day: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockSeries(transaction);
    const rows = await transaction
      .selectFrom("volume_days")
      .selectAll()
      .where("day", ">=", dayOf(endOf(day) - (1 + EXPECTED_DAYS) * DAY_SECONDS))
      .where("day", "<=", day)
      .execute();
    const ofItsEnd = rows.filter((row) => row.day === day && row.sampled_at >= endOf(day) - SNAPSHOT_SECONDS);
    const totals = totalsOf(ofItsEnd, rows, assets);
    if (totals.length === 0) return false;
    await transaction.deleteFrom("daily_totals").where("day", "=", day).execute();
    await transaction
      .insertInto("daily_totals")
      .values(totals.map((total) => ({ day, ...total })))
      .execute();
    return true;
  });
}

/**
 * Sums by scope of the assets that have both figures.
 * @param around the samples of the day and of the days before: who had data then is expected to have it
 */
function totalsOf(
  rows: readonly Schema["volume_days"][],
  around: readonly Schema["volume_days"][],
  assets: readonly Scoped[],
) {
  const scopes = new Map(
    assets.map(({ assetKey, issuer, chain }) => [assetKey, ["all", `issuer:${issuer}`, `chain:${chain}`]]),
  );
  const expected = new Map<string, number>();
  const halted = new Set(rows.filter((row) => row.halted === 1).map(({ asset_key }) => asset_key));
  for (const assetKey of new Set(around.filter(isWhole).map(({ asset_key }) => asset_key)))
    for (const scope of halted.has(assetKey) ? [] : (scopes.get(assetKey) ?? []))
      expected.set(scope, (expected.get(scope) ?? 0) + 1);
  const whole = rows.filter(isWhole);
  const scoped = whole.flatMap((row) => (scopes.get(row.asset_key) ?? []).map((scope) => ({ scope, row })));
  return [...Map.groupBy(scoped, ({ scope }) => scope)].map(([scope, own]) => ({
    scope,
    volume_usd: sumOf(own.map(({ row }) => row.volume_24h_usd)),
    liquidity_usd: sumOf(own.map(({ row }) => row.liquidity_usd)),
    count: own.length,
    expected: expected.get(scope) ?? own.length,
  }));
}

/** As `isWhole`, by the database. */
const COUNTS = sql`volume_24h_usd is not null and liquidity_usd is not null and halted = 0`;

type Whole = { readonly volume_24h_usd: string; readonly liquidity_usd: string };

/** A token counts where both figures are known and it is not halted. */
function isWhole<Row extends Schema["volume_days"]>(row: Row): row is Row & Whole {
  return row.volume_24h_usd !== null && row.liquidity_usd !== null && row.halted === 0;
}

/**
 * The newest sample of each asset that is at most so old, of those that count, and the expected number of assets. An
 * asset is expected if it had both figures in the last seven days and was not halted since.
 */
export async function freshVolumes(
  db: Database,
  now: number,
  maxAgeSeconds: number,
): Promise<{ fresh: { volume24hUsd: string; liquidityUsd: string }[]; expected: number }> {
  // An asset has one row a day. The database chooses the last, since all of a week are thousands.
  const last = db
    .selectFrom("volume_days")
    .select(({ fn }) => [
      "asset_key",
      fn.max("day").as("day"),
      sql<number>`max(case when ${COUNTS} then 1 else 0 end)`.as("counted"),
    ])
    .where("day", ">=", dayOf(now - EXPECTED_DAYS * DAY_SECONDS))
    .where("sampled_at", "<=", now + MAX_AHEAD_SECONDS)
    .groupBy("asset_key");
  const newest = await db
    .selectFrom("volume_days")
    .innerJoin(last.as("last"), (join) =>
      join.onRef("last.asset_key", "=", "volume_days.asset_key").onRef("last.day", "=", "volume_days.day"),
    )
    .selectAll("volume_days")
    .select("last.counted")
    .execute();
  return {
    fresh: newest
      .filter(isWhole)
      .filter(({ sampled_at }) => sampled_at > now - maxAgeSeconds)
      .map(({ volume_24h_usd, liquidity_usd }) => ({
        volume24hUsd: volume_24h_usd,
        liquidityUsd: liquidity_usd,
      })),
    expected: newest.filter(({ counted, halted }) => counted === 1 && halted === 0).length,
  };
}
