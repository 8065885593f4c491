/** Brings the tables to the newest form, or back. */
import { type MigrationResultSet, Migrator, NO_MIGRATIONS } from "kysely/migration";
import { MIGRATIONS } from "./migrations/all.ts";
import { type Database, engineOf, unhurried } from "./open.ts";
import { inMigrationTransaction } from "./postgres.ts";

/**
 * Runs what is pending, all of it or none. Safe when several processes start at once: PostgreSQL takes an
 * advisory lock for the transaction, SQLite the write lock; the others wait and find the work done.
 * @returns the names of the migrations that this call ran
 * @throws the database's own error, also when the file was written by a newer version of the program
 */
export function migrate(db: Database): Promise<string[]> {
  return run(db, (migrator) => migrator.migrateToLatest());
}

/** Takes every migration back. All data is lost. */
export function migrateDown(db: Database): Promise<string[]> {
  return run(db, (migrator) => migrator.migrateTo(NO_MIGRATIONS));
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
