/** Brings the tables to the newest form, or back, and knows what a newer program has made of them. */
import { sql } from "kysely";
import { type MigrationResultSet, Migrator, NO_MIGRATIONS } from "kysely/migration";
import { type NewerMigration, requireCompatible } from "./compatibility.ts";
import { MIGRATIONS } from "./migrations/all.ts";
import { type Database, engineOf, unhurried } from "./open.ts";
import { inMigrationTransaction } from "./postgres.ts";

/**
 * Runs what is pending, all of it or none. Safe when several processes start at once: PostgreSQL takes an
 * advisory lock for the transaction, SQLite the write lock; the others wait and find the work done. A database that a newer
 * program has migrated is left as it is, where that program says that this one may work on it.
 * @returns the names of the migrations that this call ran
 * @throws DatabaseNewer where it says that this one may not, and the database's own error
 */
export async function migrate(db: Database): Promise<string[]> {
  try {
    return await run(db, (migrator) => migrator.migrateToLatest());
  } catch (error) {
    // Asked now and not before: meanwhile another process may have been the newer one.
    const newer = await newerMigrations(db).catch(() => []);
    if (newer.length === 0) throw error;
    const applied = new Set(await appliedMigrations(db));
    requireCompatible(
      newer,
      Object.keys(MIGRATIONS).filter((name) => !applied.has(name)),
    );
    return [];
  }
}

/** Takes every migration back. All data is lost. */
export function migrateDown(db: Database): Promise<string[]> {
  return run(db, (migrator) => migrator.migrateTo(NO_MIGRATIONS));
}

/**
 * Takes back every migration after `name`, all of them or none, newest first; what they added is lost.
 * @param name a key of `MIGRATIONS` that the database has
 * @returns the names of those that were taken back
 */
export function takeBack(db: Database, name: string): Promise<string[]> {
  return run(db, (migrator) => migrator.migrateTo(name));
}

/** Names of the migrations that the database has, in order; none of an empty one. */
export async function appliedMigrations(db: Database): Promise<string[]> {
  if (!(await hasTable(db, "kysely_migration"))) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** The migrations that the database has and this program does not know, with what they say of programs like it. */
export async function newerMigrations(db: Database): Promise<NewerMigration[]> {
  const unknown = (await appliedMigrations(db)).filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length === 0) return [];
  const said = (await hasTable(db, "migration_compatibility"))
    ? await db.selectFrom("migration_compatibility").selectAll().execute()
    : [];
  return unknown.map((name) => {
    const row = said.find(({ migration }) => migration === name);
    return {
      name,
      compatibility: row === undefined ? null : { olderPrograms: row.older_programs, because: row.because },
    };
  });
}

async function hasTable(db: Database, table: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === table);
}

async function run(db: Database, go: (migrator: Migrator) => Promise<MigrationResultSet>): Promise<string[]> {
  const migrated = async (on: Database): Promise<string[]> => {
    const { error, results } = await go(
      new Migrator({ db: on, provider: { getMigrations: async () => MIGRATIONS } }),
    );
    if (error) throw error;
    return (results ?? [])
      .filter(({ status }) => status === "Success")
      .map(({ migrationName }) => migrationName);
  };
  return unhurried(db, (patient) =>
    engineOf(db) === "postgres"
      ? inMigrationTransaction(patient, migrated)
      : patient.connection().execute(migrated),
  );
}
