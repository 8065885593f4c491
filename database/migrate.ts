/** Brings the tables to the newest form, or back, and knows what a newer program has made of them. */
import { sql } from "kysely";
import { type Migration, type MigrationResultSet, Migrator } from "kysely/migration";
import { type NewerMigration, requireBaseline, requireCompatible } from "./compatibility.ts";
import { EDITION, type Edition, type OurMigration } from "./migrations/all.ts";
import { type Database, engineOf, unhurried } from "./open.ts";
import { inMigrationTransaction } from "./postgres.ts";

/**
 * Runs what is pending, all of it or none. Safe when several processes start at once: PostgreSQL takes an
 * advisory lock for the transaction, SQLite the write lock; the others wait and find the work done. A database that a newer
 * program has migrated is left as it is, where that program says that this one may work on it.
 * @returns the names of the migrations that this call ran
 * @throws WrongDatabase where it says that this one may not, or where an older program made it: it is left as it is then,
 *   too; and the database's own error
 */
export async function migrate(db: Database, edition: Edition = EDITION): Promise<string[]> {
  try {
    return await run(db, edition, (migrator) => migrator.migrateToLatest());
  } catch (error) {
    // Asked now and not before: meanwhile another process may have been the newer one.
    const applied = await namesOf(db).catch((): string[] => []);
    const names = Object.keys(edition.migrations);
    requireBaseline(applied, names[0] ?? "");
    if (applied.every((name) => names.includes(name))) throw error;
    requireCompatible(
      await newerMigrations(db, edition),
      names.filter((name) => !applied.includes(name)),
    );
    return [];
  }
}

/**
 * Takes back every migration after `name`, all of them or none, newest first; what they added is lost.
 * @param name a migration that the database has
 * @returns the names of those that were taken back
 */
export function takeBack(db: Database, name: string, edition: Edition = EDITION): Promise<string[]> {
  return run(db, edition, (migrator) => migrator.migrateTo(name));
}

/**
 * Names of the migrations that the database has, in order; none of an empty one.
 * @throws WrongDatabase where an older program made it
 */
export async function appliedMigrations(db: Database, edition: Edition = EDITION): Promise<string[]> {
  const names = await namesOf(db);
  requireBaseline(names, Object.keys(edition.migrations)[0] ?? "");
  return names;
}

/**
 * The migrations that the database has and this program does not know, with what they say of programs like it.
 * @throws WrongDatabase where an older program made it
 */
export async function newerMigrations(db: Database, edition: Edition = EDITION): Promise<NewerMigration[]> {
  const unknown = (await appliedMigrations(db, edition)).filter(
    (name) => !Object.hasOwn(edition.migrations, name),
  );
  if (unknown.length === 0) return [];
  const said = await db.selectFrom("migration_compatibility").selectAll().execute();
  return unknown.map((name) => {
    const row = said.find(({ migration }) => migration === name);
    return {
      name,
      compatibility: {
        olderPrograms: row?.older_programs ?? "refused",
        because: row?.because ?? "It says nothing of them.",
      },
    };
  });
}

async function namesOf(db: Database): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function run(
  db: Database,
  { migrations }: Edition,
  go: (migrator: Migrator) => Promise<MigrationResultSet>,
): Promise<string[]> {
  const recorded = Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => [name, withRecord(name, migration)]),
  );
  const migrated = async (on: Database): Promise<string[]> => {
    const { error, results } = await go(
      new Migrator({ db: on, provider: { getMigrations: async () => recorded } }),
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

/** Leaves in the database what it says of older programs, in the transaction in which it runs. */
function withRecord(name: string, { compatibility, up, down }: OurMigration): Migration {
  const { olderPrograms, because } = compatibility;
  return {
    async up(db: Database) {
      await up(db);
      await db
        .insertInto("migration_compatibility")
        .values({ migration: name, older_programs: olderPrograms, because })
        .execute();
    },
    async down(db: Database) {
      await db.deleteFrom("migration_compatibility").where("migration", "=", name).execute();
      await down(db);
    },
  };
}
