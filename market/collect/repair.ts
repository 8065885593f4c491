/**
 * Corrects mistakes: retracts a span of a series with a reason, or computes hours and totals again from what is stored. Each
 * is one transaction, and may be repeated.
 */
import type { Transaction } from "kysely";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { Schema } from "../../database/schema.ts";
import { basisOf } from "../series/basis.ts";
import {
  DAY_SECONDS,
  dropSamples,
  HOUR_SECONDS,
  lockMarket,
  recomputeHours,
  type Span as Times,
} from "../series/hours.ts";
import { computeScores } from "../series/liquidity.ts";
import { premiumOf } from "../series/premium.ts";
import { isRetracted, recordRetraction } from "../series/retractions.ts";
import { computeTotals, dayOf, endOf, type Scoped, snapshotDay } from "../series/totals.ts";

export interface RepairDeps {
  readonly db: Database;
  readonly assets: readonly Scoped[];
  now(): UnixMs;
}

export interface Span extends Times {
  readonly series: string;
}

/** A name that no series has, or a span that cannot be corrected. Its message is for people. */
export class RepairError extends Error {}

/**
 * Computes the hours of a series again, or of all premiums, all bases, or the days of the totals.
 * @param span its series may be `premium`, `basis` or `totals` too; rounded outwards to whole hours or days
 * @returns what was computed, with the number of hours or days that have figures now
 * @throws RepairError; DatabaseUnavailable
 */
export async function recompute(
  { db, assets, now }: RepairDeps,
  { series, from, to }: Span,
): Promise<{ series: string; count: number }[]> {
  if (!(from < to)) throw new RepairError("the span must end after it begins");
  if (series === "totals") {
    let count = 0;
    const ended = daysOf({ from, to }).filter((day) => endOf(day) <= now() / 1_000);
    for (const day of ended) if (await snapshotDay(db, assets, day)) count++;
    return [{ series, count }];
  }
  const kind = kindOf(series);
  if (kind !== "premium" && kind !== "basis")
    throw new RepairError(`${series} has no hours: retract its samples instead`);
  const names = await namesOf(db, series);
  if (names.length === 0) throw new RepairError(`there is no series ${series}`);
  const made: { series: string; count: number }[] = [];
  for (const name of names) {
    const count = await db.transaction().execute(async (transaction) => {
      const keptFrom = await lockMarket(transaction);
      if (roundDown(from, HOUR_SECONDS) < keptFrom)
        throw new RepairError(`raw samples are kept from ${new Date(keptFrom * 1_000).toISOString()} on`);
      return await recomputeHours(transaction, name, { from, to });
    });
    made.push({ series: name, count });
  }
  return made;
}

/**
 * Retracts what a series has in a span, and computes again what it went into: hours, scores, or the day's totals.
 * @param span in the past; of premium and basis a sample (one second) or whole hours, of `volume/<asset key>` whole days
 * @returns what stood there before
 * @throws RepairError; DatabaseUnavailable
 */
export async function retract(
  { db, assets, now }: RepairDeps,
  span: Span & { readonly reason: string; readonly actor: string },
): Promise<readonly unknown[]> {
  const retractedAt = Math.floor(now() / 1_000);
  const kind = kindOf(span.series);
  if (span.to > retractedAt) throw new RepairError("only past times can be retracted");
  return await db.transaction().execute(async (transaction) => {
    checkSpan(kind, span, await lockMarket(transaction));
    const before = await STANDING[kind](transaction, span);
    if (before.length === 0 && !(await isRetracted(transaction, span)))
      throw new RepairError(`${span.series} has nothing at that time`);
    await recordRetraction(transaction, { ...span, retractedAt });
    await DROP[kind](transaction, span, { assets, now: retractedAt });
    return before;
  });
}

type Trx = Transaction<Schema>;
type Kind = "premium" | "basis" | "impact" | "volume";

function kindOf(series: string): Kind {
  const [kind = ""] = series.split("/");
  if (kind !== "premium" && kind !== "basis" && kind !== "impact" && kind !== "volume")
    throw new RepairError("a series is premium/…, basis/…, impact/… or volume/…");
  return kind;
}

const subjectOf = (series: string) => series.slice(series.indexOf("/") + 1);

function checkSpan(kind: Kind, { from, to }: Span, keptFrom: number): void {
  if (kind === "impact") return;
  if (kind === "volume") {
    if (from % DAY_SECONDS === 0 && to % DAY_SECONDS === 0) return;
    throw new RepairError("volumes are retracted by whole days (UTC)");
  }
  if (isWholeHours({ from, to })) return;
  if (to - from !== 1) throw new RepairError("retract one sample by its second, or whole hours (UTC)");
  if (roundDown(from, HOUR_SECONDS) < keptFrom)
    throw new RepairError("raw samples of that time are no longer kept: retract whole hours instead");
}

const STANDING: Record<Kind, (transaction: Trx, span: Span) => Promise<readonly unknown[]>> = {
  premium: samplesAndHours,
  basis: samplesAndHours,
  impact: (transaction, span) => rowsIn(transaction, "impact_samples", span),
  volume: (transaction, span) => rowsIn(transaction, "volume_days", span),
};

interface Dependents {
  readonly assets: readonly Scoped[];
  /** Unix seconds. */
  readonly now: number;
}

const DROP: Record<Kind, (transaction: Trx, span: Span, dependents: Dependents) => Promise<void>> = {
  premium: (transaction, span) => dropSamples(transaction, span.series, span),
  basis: (transaction, span) => dropSamples(transaction, span.series, span),
  impact: async (transaction, span, { now }) => {
    await dropRows(transaction, "impact_samples", span);
    await computeScores(transaction, [subjectOf(span.series)], now);
  },
  volume: async (transaction, span, { assets }) => {
    await dropRows(transaction, "volume_days", span);
    for (const day of daysOf(span)) await renewTotals(transaction, assets, day);
  },
};

async function samplesAndHours(transaction: Trx, { series, from, to }: Span): Promise<readonly unknown[]> {
  const id = transaction.selectFrom("series").select("id").where("name", "=", series);
  const samples = await transaction
    .selectFrom("raw_samples")
    .select(["sample", "sampled_at"])
    .where("series_id", "=", id)
    .where("sampled_at", ">=", from)
    .where("sampled_at", "<", to)
    .execute();
  const wholeOf = kindOf(series) === "basis" ? basisOf : premiumOf;
  const whole = samples.map(({ sample, sampled_at }): unknown =>
    wholeOf({ series, sampledAt: sampled_at, text: sample }),
  );
  if (!isWholeHours({ from, to })) return whole;
  const hours = await transaction
    .selectFrom("hour_buckets")
    .selectAll()
    .where("series_id", "=", id)
    .where("hour", ">=", from / HOUR_SECONDS)
    .where("hour", "<", to / HOUR_SECONDS)
    .execute();
  return [...whole, ...hours];
}

type SampleTable = "impact_samples" | "volume_days";

const rowsIn = (transaction: Trx, table: SampleTable, { series, from, to }: Span) =>
  transaction
    .selectFrom(table)
    .selectAll()
    .where("asset_key", "=", subjectOf(series))
    .where("sampled_at", ">=", from)
    .where("sampled_at", "<", to)
    .execute();

const dropRows = (transaction: Trx, table: SampleTable, { series, from, to }: Span) =>
  transaction
    .deleteFrom(table)
    .where("asset_key", "=", subjectOf(series))
    .where("sampled_at", ">=", from)
    .where("sampled_at", "<", to)
    .execute();

/** Of a day that was closed; without samples of its end it has no totals. */
async function renewTotals(transaction: Trx, assets: readonly Scoped[], day: string): Promise<void> {
  const closed = await transaction
    .selectFrom("daily_totals")
    .select("day")
    .where("day", "=", day)
    .executeTakeFirst();
  if (closed === undefined || (await computeTotals(transaction, assets, day))) return;
  await transaction.deleteFrom("daily_totals").where("day", "=", day).execute();
}

/** The series of a name, and all whose names begin with it. */
async function namesOf(db: Database, series: string): Promise<string[]> {
  const rows = await db.selectFrom("series").select("name").execute();
  return rows
    .map(({ name }) => name)
    .filter((name) => name === series || name.startsWith(`${series}/`))
    .sort();
}

/** The days that end within a span, or with it. */
function daysOf({ from, to }: Times): string[] {
  const days: string[] = [];
  for (let day = dayOf(from); endOf(day) <= roundUp(to, DAY_SECONDS); day = dayOf(endOf(day))) days.push(day);
  return days;
}

const roundDown = (seconds: number, unit: number) => Math.floor(seconds / unit) * unit;
const roundUp = (seconds: number, unit: number) => Math.ceil(seconds / unit) * unit;
const isWholeHours = ({ from, to }: Times) => from % HOUR_SECONDS === 0 && to % HOUR_SECONDS === 0;
