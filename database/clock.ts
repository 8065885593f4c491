/**
 * The clock that the processes on a database share: PostgreSQL's. What one process stores with a time and another compares
 * (leases, slots, attempts, next looks) must not depend on how well their machines keep time. Between two looks at it a
 * clock counts on that nobody sets.
 */
import { sql } from "kysely";
import { type Database, engineOf } from "./open.ts";

type UnixMs = number;

export interface DatabaseClockDeps {
  readonly db: Database;
  /** This machine's clock. */
  machine(): UnixMs;
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
}

export type DatabaseClock = ReturnType<typeof createDatabaseClock>;

export function createDatabaseClock({ db, machine, monotonic }: DatabaseClockDeps) {
  /** The database's time when the monotonic clock was zero; null: not heard yet. */
  let zero: UnixMs | null = null;
  const now = () => (zero === null ? machine() : Math.round(zero + monotonic()));
  return {
    /** Unix milliseconds, by this machine's clock until the database was heard once. On SQLite it is the machine's own. */
    now,
    /** How far this machine's clock is ahead of the database's, milliseconds; negative: behind. */
    aheadMs: () => machine() - now(),
    /** Looks at it again. @throws DatabaseUnavailable; the clock then goes on as it did */
    async look() {
      const asked = monotonic();
      const ms = await databaseTime(db);
      if (ms === null) return;
      const heard = monotonic();
      // It said so at some moment between the two. What fits is kept, so that the clock does not tremble.
      if (zero === null || zero < ms - heard || zero > ms - asked) zero = ms - (asked + heard) / 2;
    },
  };
}

/** By the database's own clock, unix milliseconds; null: it has none but this machine's. @throws DatabaseUnavailable */
export async function databaseTime(db: Database): Promise<number | null> {
  if (engineOf(db) === "sqlite") return null;
  const { rows } = await sql<{
    at: number;
  }>`select extract(epoch from clock_timestamp())::float8 as at`.execute(db);
  return Number(rows[0]?.at) * 1_000;
}
