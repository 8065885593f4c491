/** The database of a running service, with its tables up to date, and the clock that all processes on it share. */
import type { UnixMs } from "../../attestor/values/time.ts";
import { createDatabaseClock } from "../../database/clock.ts";
import { migrate, newerMigrations } from "../../database/migrate.ts";
import { type Database, type OpenOptions, openDatabase, placeWarning } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import { repeat } from "../repeat.ts";

/** How long PostgreSQL may leave a statement without a word before its connection counts as broken. */
const DATABASE_PATIENCE_MS = 4_000;
/** How long a statement waits where another process holds SQLite's lock: less than /readyz, which says so. */
const LOCK_PATIENCE_MS = 1_500;
/** A clock that nobody sets loses some microseconds meanwhile. */
const CLOCK_EVERY_MS = 5_000;

/** @throws DatabaseUnavailable, UnusableDatabase */
export function openStore(
  url: string,
  { onStatement, onQuery }: { [Name in "onStatement" | "onQuery"]: OpenOptions[Name] | undefined },
  logger: Logger,
): Database {
  const db = openDatabase(url, {
    patienceMs: DATABASE_PATIENCE_MS,
    busyTimeoutMs: LOCK_PATIENCE_MS,
    isChecked: true,
    ...(onStatement ? { onStatement } : {}),
    ...(onQuery ? { onQuery } : {}),
  });
  const warning = placeWarning(url);
  if (warning !== null) logger.warn(warning);
  return db;
}

export async function bringUp(db: Database, logger: Logger): Promise<void> {
  const migrated = await migrate(db);
  if (migrated.length > 0) logger.info({ migrated }, "database migrated");
  const newer = await newerMigrations(db);
  if (newer.length > 0)
    logger.warn({ newer }, "a newer version has migrated the database; its word lets this one work");
}

/** @param machine this machine's clock @param monotonic milliseconds on a clock that never goes back */
export async function openClock(db: Database, machine: () => UnixMs, monotonic: () => number) {
  const clock = createDatabaseClock({ db, machine, monotonic });
  await clock.look();
  const looking = repeat(() => clock.look().catch(() => {}), CLOCK_EVERY_MS);
  return { now: clock.now, aheadMs: clock.aheadMs, stop: () => looking.stop() };
}
