/**
 * Corrects mistakes: retracts a span of a series with a reason and recomputes what depends on it, or recomputes a
 * series from its raw samples. Both are idempotent.
 */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { basisOf, recomputeBases } from "../series/basis.ts";
import { DAY_SECONDS, dropHours, HOUR_SECONDS, lockSeries, rawKeptFrom } from "../series/buckets.ts";
import { premiumOf, recomputePremiums } from "../series/premium.ts";
import { isRetracted, recordRetraction } from "../series/retractions.ts";
import { outdateScores } from "../series/samples.ts";
import { dayOf, endOf, type Scoped, snapshotDay } from "../series/totals.ts";

export interface RepairDeps {
  readonly db: Database;
  readonly assets: readonly Scoped[];
  now(): UnixMs;
}

export interface Span {
  readonly series: string;
  /** Unix seconds; the end is exclusive. */
  readonly from: number;
  readonly to: number;
}

const RECOMPUTE = { premium: recomputePremiums, basis: recomputeBases };

/** A name that no series has, or a span that cannot be corrected. Its message is for people. */
export class RepairError extends Error {}

/**
 * Makes the hours of a series again, or of all premiums, all bases, or the days of the totals.
 * @param span its series may be `premium`, `basis` or `totals` too; rounded outwards to whole hours or days
 * @returns what was made again, with the number of hours or days that have figures now
 * @throws RepairError; DatabaseUnavailable
 */
export async function recompute(
  { db, assets, now }: RepairDeps,
  { series, from, to }: Span,
): Promise<{ series: string; count: number }[]> {
  if (!(from < to)) throw new RepairError("the span must end after it begins");
  if (series === "totals") {
    let count = 0;
    for (
      let day = dayOf(from);
      endOf(day) <= Math.min(now() / 1_000, roundUp(to, DAY_SECONDS));
      day = dayOf(endOf(day))
    )
      if (await snapshotDay(db, assets, day)) count++;
    return [{ series, count }];
  }
  const range = { from: roundDown(from, HOUR_SECONDS), to: roundUp(to, HOUR_SECONDS) };
  const kind = kindOf(series);
  if (kind !== "premium" && kind !== "basis")
    throw new RepairError(`${series} has no hours: retract its samples instead`);
  const names = await namesOf(db, series);
  if (names.length === 0) throw new RepairError(`there is no series ${series}`);
  const made: { series: string; count: number }[] = [];
  for (const name of names)
    made.push({ series: name, count: await inWords(RECOMPUTE[kind](db, name, range)) });
  return made;
}

/**
 * Retracts what a series has in a span, and makes again what it went into: hours, scores, or the day's totals.
 * @param span in the past; of premium and basis a sample (one second) or whole hours, of `volume/<asset key>` whole days
 * @returns what stood there before
 * @throws RepairError; DatabaseUnavailable
 */
export async function retract(
  deps: RepairDeps,
  span: Span & { readonly reason: string; readonly actor: string },
): Promise<readonly unknown[]> {
  const { db } = deps;
  const now = Math.floor(deps.now() / 1_000);
  const kind = kindOf(span.series);
  if (span.to > now) throw new RepairError("only past times can be retracted");
  await checkSpan(db, kind, span);
  const before = await STANDING[kind](db, span);
  // What a crash left undone may be all that is missing: the totals of a day whose sample is gone already.
  if (before.length === 0 && !(await isRetracted(db, span)))
    throw new RepairError(`${span.series} has nothing at that time`);
  // First, so that nothing comes back meanwhile; repeated after a crash it does the rest.
  await recordRetraction(db, { ...span, retractedAt: now });
  await REMAKE[kind](deps, span);
  return before;
}

type Kind = "premium" | "basis" | "impact" | "volume";

function kindOf(series: string): Kind {
  const [kind = ""] = series.split("/");
  if (kind !== "premium" && kind !== "basis" && kind !== "impact" && kind !== "volume")
    throw new RepairError("a series is premium/…, basis/…, impact/… or volume/…");
  return kind;
}

const subjectOf = (series: string) => series.slice(series.indexOf("/") + 1);

const STANDING: Record<Kind, (db: Database, span: Span) => Promise<readonly unknown[]>> = {
  premium: samplesAndHours,
  basis: samplesAndHours,
  impact: (db, span) => samplesIn(db, "impact_samples", span),
  volume: (db, span) => samplesIn(db, "volume_days", span),
};

type SampleTable = "impact_samples" | "volume_days";

const samplesIn = (db: Database, table: SampleTable, { series, from, to }: Span) =>
  db
    .selectFrom(table)
    .selectAll()
    .where("asset_key", "=", subjectOf(series))
    .where("sampled_at", ">=", from)
    .where("sampled_at", "<", to)
    .execute();

const dropSamples = (transaction: Database, table: SampleTable, { series, from, to }: Span) =>
  transaction
    .deleteFrom(table)
    .where("asset_key", "=", subjectOf(series))
    .where("sampled_at", ">=", from)
    .where("sampled_at", "<", to)
    .execute();

async function samplesAndHours(db: Database, { series, from, to }: Span): Promise<readonly unknown[]> {
  const id = db.selectFrom("series").select("id").where("name", "=", series);
  const samples = await db
    .selectFrom("raw_samples")
    .select(["sample", "sampled_at"])
    .where("series_id", "=", id)
    .where("sampled_at", ">=", from)
    .where("sampled_at", "<", to)
    .execute();
  const hours = isWholeHours({ from, to })
    ? await db
        .selectFrom("hour_buckets")
        .selectAll()
        .where("series_id", "=", id)
        .where("hour", ">=", from / HOUR_SECONDS)
        .where("hour", "<", to / HOUR_SECONDS)
        .execute()
    : [];
  const wholeOf = kindOf(series) === "basis" ? basisOf : premiumOf;
  const whole = samples.map(({ sample, sampled_at }): unknown =>
    wholeOf({ series, sampledAt: sampled_at, text: sample }),
  );
  return [...whole, ...hours];
}

const REMAKE: Record<Kind, (deps: RepairDeps, span: Span) => Promise<unknown>> = {
  premium: remakeHours,
  basis: remakeHours,
  impact: ({ db }, span) =>
    db.transaction().execute(async (transaction) => {
      await outdateScores(transaction, [subjectOf(span.series)]);
      await dropSamples(transaction, "impact_samples", span);
    }),
  volume: remakeDays,
};

async function checkSpan(db: Database, kind: Kind, { from, to }: Span): Promise<void> {
  if (kind === "volume") {
    if (from % DAY_SECONDS === 0 && to % DAY_SECONDS === 0) return;
    throw new RepairError("volumes are retracted by whole days (UTC)");
  }
  if (kind === "impact") return;
  if (to - from !== 1 && !isWholeHours({ from, to }))
    throw new RepairError("retract one sample by its second, or whole hours (UTC)");
  if (roundDown(from, HOUR_SECONDS) < (await rawKeptFrom(db)) && !isWholeHours({ from, to }))
    throw new RepairError("raw samples of that time are no longer kept: retract whole hours instead");
}

async function remakeHours({ db }: RepairDeps, { series, from, to }: Span): Promise<void> {
  const kind = series.startsWith("basis/") ? "basis" : "premium";
  const kept = await rawKeptFrom(db);
  const range = { from: Math.max(kept, roundDown(from, HOUR_SECONDS)), to: roundUp(to, HOUR_SECONDS) };
  if (range.from < range.to) await RECOMPUTE[kind](db, series, range);
  if (from >= kept) return;
  // Hours whose samples are gone cannot be made again: retracted as a whole, they are.
  const gone = { from, to: Math.min(to, kept) };
  const { id } = await db
    .selectFrom("series")
    .select("id")
    .where("name", "=", series)
    .executeTakeFirstOrThrow();
  await db.transaction().execute(async (transaction) => {
    await lockSeries(transaction);
    await dropHours(transaction, id, gone);
  });
}

async function remakeDays({ db, assets }: RepairDeps, span: Span): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockSeries(transaction);
    await dropSamples(transaction, "volume_days", span);
  });
  for (let day = dayOf(span.from); endOf(day) <= roundUp(span.to, DAY_SECONDS); day = dayOf(endOf(day))) {
    const closed = await db
      .selectFrom("daily_totals")
      .select("day")
      .where("day", "=", day)
      .executeTakeFirst();
    if (closed && !(await snapshotDay(db, assets, day)))
      await db.deleteFrom("daily_totals").where("day", "=", day).execute();
  }
}

async function namesOf(db: Database, series: string): Promise<string[]> {
  const rows = await db.selectFrom("series").select("name").execute();
  return rows
    .map(({ name }) => name)
    .filter((name) => name === series || name.startsWith(`${series}/`))
    .sort();
}

const roundDown = (seconds: number, unit: number) => Math.floor(seconds / unit) * unit;
const roundUp = (seconds: number, unit: number) => Math.ceil(seconds / unit) * unit;
const isWholeHours = ({ from, to }: { from: number; to: number }) =>
  from % HOUR_SECONDS === 0 && to % HOUR_SECONDS === 0;

async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RangeError) throw new RepairError(error.message);
    throw error;
  }
}
