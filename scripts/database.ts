/** The service's database, for commands that work on it directly, whether the service runs or not. */
import { parseDatabaseUrl } from "../api/settings/config.ts";
import { migrate } from "../database/migrate.ts";
import { type Database, isPostgres, openDatabase, sqlitePath } from "../database/open.ts";
import type { World } from "./console.ts";
import { Unusable } from "./errors.ts";

/** The database of the settings. @throws ConfigError */
export const databaseUrlOf = ({ env }: Pick<World, "env">): string => parseDatabaseUrl(env).reveal();

export const DATABASE_SETTINGS = "Settings: DATABASE_URL, or DATA_DIR for the SQLite file in it.";

/**
 * Works on a database that is there, and closes it.
 * @throws Unusable where there is none
 */
export async function withDatabase<T>(
  url: string,
  world: Pick<World, "exists">,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  // A mistyped DATA_DIR would otherwise make an empty database.
  if (!isPostgres(url) && !(await world.exists(sqlitePath(url))))
    throw new Unusable(`there is no database at ${sqlitePath(url)}`);
  await using db = openDatabase(url);
  return await work(db);
}

/** Works on a database whose tables are brought up to date, and closes it. */
export async function withTables<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  await using db = openDatabase(url);
  await migrate(db);
  return await work(db);
}

/** As `withTables`, on a database that is there. @throws Unusable where there is none */
export async function withOwnTables<T>(
  url: string,
  world: Pick<World, "exists">,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  return await withDatabase(url, world, async (db) => {
    await migrate(db);
    return await work(db);
  });
}
