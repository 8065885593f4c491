/** The service's database, for commands that work on it directly, whether the service runs or not. */
import { ConfigError, parseDatabaseUrl } from "../api/settings/config.ts";
import { environment } from "../api/settings/environment.ts";
import { UpstreamUnavailable } from "../chain/chainErrors.ts";
import { isDatabaseUnavailable, UnusableDatabase } from "../database/errors.ts";
import { migrate } from "../database/migrate.ts";
import { type Database, isPostgres, openDatabase, sqlitePath } from "../database/open.ts";
import { PlainError, type World } from "./console.ts";

/** The database of the environment. @throws PlainError */
export function databaseUrlOf(): string {
  try {
    return parseDatabaseUrl(environment()).reveal();
  } catch (error) {
    if (error instanceof ConfigError) throw new PlainError(error.message);
    throw error;
  }
}

/**
 * Works on a database that is there, and closes it.
 * @throws PlainError where there is none, or it cannot be reached
 */
export async function withDatabase<T>(
  url: string,
  world: Pick<World, "exists">,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  // A mistyped DATA_DIR would otherwise make an empty database.
  if (!isPostgres(url) && !(await world.exists(sqlitePath(url))))
    throw new PlainError(`there is no database at ${sqlitePath(url)}`);
  await using db = openDatabase(url);
  return await work(db).catch((error: unknown) => {
    // The cause may name the database, and with it a password.
    throw isDatabaseUnavailable(error) ? new PlainError("the database cannot be reached") : error;
  });
}

/** Works on a database whose tables are brought up to date, and closes it. */
export async function withTables<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  await using db = openDatabase(url);
  await migrate(db);
  return await work(db);
}

/** What of the surroundings fails in words of ours, which carry no secret. */
export const isToldPlainly = (error: unknown): error is Error =>
  error instanceof ConfigError ||
  error instanceof UpstreamUnavailable ||
  error instanceof UnusableDatabase ||
  isDatabaseUnavailable(error);
