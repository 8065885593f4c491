/** Volume and liquidity: the last sample of each day, and the day's totals as of UTC midnight. */

import { sql, type Transaction } from "kysely";
import { z } from "zod";
import { ascending } from "../../attestor/values/order.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { Amount, AssetKey, FigureState, Halted, Stamp } from "./fields.ts";
import { asGiven, columnList, givenRows } from "./given.ts";
import { DAY_SECONDS, lockMarket } from "./hours.ts";
import { record } from "./record.ts";
import { MAX_AHEAD_SECONDS } from "./rejected.ts";
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

/** What a day's volume of an asset is retracted under. */
const volumeSeries = (assetKey: string): string => `volume/${assetKey}`;

/** Stores the last sample of each asset and day, as `record` says. */
export const recordVolumes = (db: Database, samples: readonly VolumeSample[], now: number) =>
  record(db, samples, now, {
    kind: "volume",
    sample: VolumeSample,
    subjectOf: ({ assetKey }) => assetKey,
    seriesOf: ({ assetKey }) => volumeSeries(assetKey),
    implausible,
    store: storeVolumes,
  });

function implausible(sample: Parsed): string | null {
  const absurd = [sample.volume24hUsd, sample.liquidityUsd].some(
    (usd) => usd !== null && new SeriesDecimal(usd).gt(MAX_USD),
  );
  return absurd ? "absurd_amount" : null;
}

type VolumeDay = Schema["volume_days"];

const OF_DAY = {
  sampled_at: "bigint",
  source: "text",
  session: "text",
  volume_24h_usd: "text",
  liquidity_usd: "text",
  state: "text",
  halted: "integer",
} as const;
const COLUMNS = { day: "text", asset_key: "text", ...OF_DAY } as const;

async function storeVolumes(transaction: Transaction<Schema>, samples: readonly Parsed[]): Promise<void> {
  if (samples.length === 0) return;
  const days = [...new Set(samples.map(({ sampledAt }) => dayOf(sampledAt)))];
  const stored = await transaction.selectFrom("volume_days").selectAll().where("day", "in", days).execute();
  const last = new Map(stored.map((row) => [keyOf(row), row]));
  const changed = new Map<string, VolumeDay>();
  for (const row of samples.map(toRow)) {
    const lastOfKey = last.get(keyOf(row));
    if (lastOfKey !== undefined && compareDays(lastOfKey, row) >= 0) continue;
    last.set(keyOf(row), row);
    changed.set(keyOf(row), row);
  }
  if (changed.size === 0) return;
  const columns = columnList(Object.keys(COLUMNS));
  await sql`insert into volume_days (${columns})
    select ${columns} from ${givenRows(transaction, "given", COLUMNS, [...changed.values()])}
    where true on conflict (day, asset_key) do update set ${asGiven(Object.keys(OF_DAY))}`.execute(
    transaction,
  );
  // Totals of these days are made again with the next round.
  await transaction.updateTable("daily_totals").set({ late: 1 }).where("day", "in", days).execute();
}

function toRow(sample: Parsed): VolumeDay {
  return {
    day: dayOf(sample.sampledAt),
    asset_key: sample.assetKey,
    sampled_at: sample.sampledAt,
    source: sample.source,
    session: sample.session,
    volume_24h_usd: sample.volume24hUsd,
    liquidity_usd: sample.liquidityUsd,
    state: sample.state ?? "",
    halted: sample.halted ? 1 : 0,
  };
}

const keyOf = ({ day, asset_key }: Pick<VolumeDay, "day" | "asset_key">) => `${day}/${asset_key}`;

/** By time; of one moment by their texts, so that there is always one last. */
function compareDays(one: VolumeDay, other: VolumeDay): number {
  const textOf = (row: VolumeDay) =>
    JSON.stringify([row.source, row.session, row.volume_24h_usd, row.liquidity_usd, row.state, row.halted]);
  return one.sampled_at - other.sampled_at || ascending(textOf(one), textOf(other));
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

/**
 * Writes the totals of the days that have ended: `all`, every issuer and every chain. A day counts under the date that ended
 * at its midnight, by each asset's last sample in the hour before it; a day without such samples stays absent. It is written
 * once, and again after samples that came late.
 * @param now unix seconds
 * @returns the days that were written
 */
export async function closeDays(db: Database, assets: readonly Scoped[], now: number): Promise<string[]> {
  const [today, since] = [dayOf(now), dayOf(now - DAYS_LOOKED_BACK * DAY_SECONDS)];
  const sampled = await db
    .selectFrom("volume_days")
    .select("day")
    .distinct()
    .where("day", ">=", since)
    .where("day", "<", today)
    .execute();
  const settled = await db
    .selectFrom("daily_totals")
    .select("day")
    .where("day", ">=", since)
    .where("scope", "=", "all")
    .where("late", "=", 0)
    .execute();
  const written: string[] = [];
  for (const { day } of sampled)
    if (!settled.some((row) => row.day === day) && (await snapshotDay(db, assets, day))) written.push(day);
  return written.sort();
}

/** Writes a day's totals. @returns false for a day that has no samples of its end */
export async function snapshotDay(db: Database, assets: readonly Scoped[], day: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await lockMarket(transaction);
    return await computeTotals(transaction, assets, day);
  });
}

/** As `snapshotDay`, where nobody else writes the market. */
export async function computeTotals(
  transaction: Transaction<Schema>,
  assets: readonly Scoped[],
  day: string,
): Promise<boolean> {
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
}

/**
 * Sums by scope. Where an asset that is expected has no figure, the sum would be too low: it is not known.
 * @param rows the last samples of the day's end
 * @param around the samples of the day and of the days before: who had figures then is expected to have them
 */
function totalsOf(rows: readonly VolumeDay[], around: readonly VolumeDay[], assets: readonly Scoped[]) {
  if (rows.length === 0) return [];
  const expected = new Set(around.filter(isExpected).map(({ asset_key }) => asset_key));
  for (const { asset_key, halted } of rows) if (halted === 1) expected.delete(asset_key);
  const counted = new Map(rows.filter(isWhole).map((row) => [row.asset_key, row]));
  const scoped = assets.filter(({ assetKey }) => expected.has(assetKey)).flatMap(scopesOf);
  return [...Map.groupBy(scoped, ({ scope }) => scope)].map(([scope, members]) => {
    const membersRows = members.flatMap(({ assetKey }) => counted.get(assetKey) ?? []);
    const isComplete = membersRows.length === members.length;
    return {
      scope,
      volume_usd: isComplete ? sumOf(membersRows.map((row) => row.volume_24h_usd)) : null,
      liquidity_usd: isComplete ? sumOf(membersRows.map((row) => row.liquidity_usd)) : null,
      count: membersRows.length,
      expected: members.length,
    };
  });
}

const scopesOf = ({ assetKey, issuer, chain }: Scoped) =>
  ["all", `issuer:${issuer}`, `chain:${chain}`].map((scope) => ({ scope, assetKey }));

/** A token counts where both figures are known and not disputed, and it is not halted. */
const isWhole = <Row extends VolumeDay>(row: Row): row is Row & Whole =>
  row.volume_24h_usd !== null && row.liquidity_usd !== null && row.state !== "disputed" && row.halted === 0;

/** A disputed figure is one that should be there. */
const isExpected = (row: VolumeDay): boolean =>
  isWhole(row) || (row.state === "disputed" && row.halted === 0);

interface Whole {
  readonly volume_24h_usd: string;
  readonly liquidity_usd: string;
}

/** As `isExpected`, by the database. */
const EXPECTED = sql`halted = 0 and (
  state = 'disputed' or (volume_24h_usd is not null and liquidity_usd is not null))`;

/**
 * The newest sample of each asset that is at most so old, of those that count, and the expected number of assets. An
 * asset is expected if it had both figures in the last seven days, or a disputed one, and was not halted since.
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
      sql<number>`max(case when ${EXPECTED} then 1 else 0 end)`.as("expected"),
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
    .select("last.expected")
    .execute();
  return {
    fresh: newest
      .filter(isWhole)
      .filter(({ sampled_at }) => sampled_at > now - maxAgeSeconds)
      .map(({ volume_24h_usd, liquidity_usd }) => ({
        volume24hUsd: volume_24h_usd,
        liquidityUsd: liquidity_usd,
      })),
    expected: newest.filter(({ expected, halted }) => expected === 1 && halted === 0).length,
  };
}
