/**
 * Tables that PostgreSQL keeps in a partition for each month (UTC). An old month is dropped as a whole: that takes no
 * longer for a million rows than for ten, and leaves nothing to clean up. SQLite has each in one table.
 *
 * There is no default partition: with one PostgreSQL could not read months in their order, and would have to scan it
 * for each new month. So inserts create their months first, by `withMonths`.
 */
import { sql } from "kysely";
import { codeOf } from "./databaseErrors.ts";
import { type Database, engineOf } from "./open.ts";

/** The column by which each is parted, seconds of its unit, and what the partitions are stored with. */
const PARTED = {
  raw_samples: { column: "sampled_at", unit: 1, storage: "" },
  impact_samples: { column: "sampled_at", unit: 1, storage: "" },
  // Room for the updates of a running hour in the row's own page.
  hour_buckets: { column: "hour", unit: 3_600, storage: "with (fillfactor = 80)" },
} as const;

export type PartedTable = keyof typeof PARTED;
export const PARTED_TABLES = Object.keys(PARTED) as readonly PartedTable[];
/** Beside the running one. */
const MONTHS_AHEAD = 2;
/** Readers and writers of the table wait at most this long for a month to be dropped; then the drop is postponed. */
const DROP_PATIENCE_MS = 500;

/** Months since the year 0. */
const monthOf = (seconds: number): number => {
  const date = new Date(seconds * 1_000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/** Unix seconds of its first moment. */
const startOf = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12) / 1_000;

/** The first moment of the month, UTC. @param seconds unix seconds */
export const monthStart = (seconds: number): number => startOf(monthOf(seconds));

const nameOf = (table: PartedTable, month: number): string => {
  const [year, index] = [Math.floor(month / 12), (month % 12) + 1];
  return `${table}_y${String(year).padStart(4, "0")}m${String(index).padStart(2, "0")}`;
};

/** Whose rows they are, by unix seconds. */
export type Moments = Partial<Record<PartedTable, readonly number[]>>;

/** Months that are there, by database, so that nobody asks for them with every insert. */
const seen = new WeakMap<Database, Set<string>>();

/** Makes the months of these rows where they are missing. @throws DatabaseUnavailable */
export async function ensureMonths(db: Database, moments: Moments): Promise<void> {
  if (engineOf(db) === "sqlite") return;
  const known = seen.get(db) ?? new Set();
  seen.set(db, known);
  for (const table of PARTED_TABLES) {
    const months = [...new Set((moments[table] ?? []).map(monthOf))];
    const missing = months.filter((month) => !known.has(nameOf(table, month)));
    if (missing.length === 0) continue;
    const there = new Set(await monthsOf(db, table));
    for (const month of missing) if (!there.has(month)) await makeMonth(db, table, month);
    for (const month of missing) known.add(nameOf(table, month));
  }
}

/** Makes the months of rows of any table, which may be kept whole. @throws DatabaseUnavailable */
export async function ensureMonthsOf(
  db: Database,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const parted = PARTED_TABLES.find((one) => one === table);
  if (parted === undefined) return;
  const { column, unit } = PARTED[parted];
  await ensureMonths(db, { [parted]: rows.map((row) => Number(row[column]) * unit) });
}

/**
 * Inserts with the months made first, and once more where another process has dropped one in the meantime.
 * @param work a transaction of its own, or one statement
 */
export async function withMonths<T>(db: Database, moments: Moments, work: () => Promise<T>): Promise<T> {
  await ensureMonths(db, moments);
  try {
    return await work();
  } catch (error) {
    if (!isMonthMissing(error)) throw error;
    seen.delete(db);
    await ensureMonths(db, moments);
    return work();
  }
}

/** The running month and the next two. @param now unix seconds */
export async function makeMonthsAhead(db: Database, now: number): Promise<void> {
  const ahead = Array.from({ length: MONTHS_AHEAD + 1 }, (_, more) => startOf(monthOf(now) + more));
  await ensureMonths(db, Object.fromEntries(PARTED_TABLES.map((table) => [table, ahead])));
}

/**
 * Drops the months that ended by then. One that somebody is reading stays until the next time.
 * @param seconds unix seconds
 * @returns the names of what was dropped
 */
export async function dropMonths(db: Database, table: PartedTable, seconds: number): Promise<string[]> {
  const dropped: string[] = [];
  for (const month of await monthsOf(db, table)) {
    if (startOf(month + 1) > seconds) continue;
    const name = nameOf(table, month);
    try {
      await db.transaction().execute(async (trx) => {
        await sql.raw(`set local lock_timeout = ${DROP_PATIENCE_MS}`).execute(trx);
        await sql`drop table if exists ${sql.table(name)}`.execute(trx);
      });
      seen.get(db)?.delete(name);
      dropped.push(name);
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
  return dropped;
}

/** Oldest first. */
async function monthsOf(db: Database, table: PartedTable): Promise<number[]> {
  const { rows } = await sql<{ name: string }>`select child.relname as name from pg_inherits
    join pg_class as child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = ${table}::regclass`.execute(db);
  return rows
    .map(({ name }) => /_y(\d{4})m(\d{2})$/.exec(name))
    .flatMap((parts) => (parts ? [Number(parts[1]) * 12 + Number(parts[2]) - 1] : []))
    .sort((one, other) => one - other);
}

/** Attached, which holds up nobody; a table that is made as a partition would wait for all who read. */
async function makeMonth(db: Database, table: PartedTable, month: number): Promise<void> {
  const { unit, storage } = PARTED[table];
  const name = nameOf(table, month);
  const [from, to] = [startOf(month) / unit, startOf(month + 1) / unit];
  const make = async (trx: Database) => {
    // Of several at once one makes it.
    await sql`select pg_advisory_xact_lock(hashtext('assay partitions'))`.execute(trx);
    const { rows } = await sql<{ is: boolean }>`select to_regclass(${name}) is not null as is`.execute(trx);
    if (rows[0]?.is) return;
    await sql.raw(`create table ${name} (like ${table} including defaults) ${storage}`).execute(trx);
    await sql
      .raw(`alter table ${table} attach partition ${name} for values from (${from}) to (${to})`)
      .execute(trx);
  };
  if (db.isTransaction) await make(db);
  else await db.transaction().execute(make);
}

const LOCK_NOT_AVAILABLE = "55P03";
const CHECK_VIOLATION = "23514";

/** PostgreSQL has no code of its own for it, and no check constraint of ours is on these tables. */
function isMonthMissing(error: unknown): boolean {
  return (
    codeOf(error) === CHECK_VIOLATION &&
    error instanceof Error &&
    "table" in error &&
    PARTED_TABLES.some((table) => table === error.table)
  );
}
