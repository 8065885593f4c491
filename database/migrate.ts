/** Brings the tables to the newest form, or back, and knows what a newer program has made of them. */
import { sql } from "kysely";
import { type Migration, type MigrationResultSet, Migrator } from "kysely/migration";
import { UnusableDatabase } from "./errors.ts";
import { EDITION, type Edition } from "./migrations/all.ts";
import { type Compatibility, type OurMigration, wordsOf } from "./migrations/migration.ts";
import { type Database, engineOf, unhurried } from "./open.ts";
import { inMigrationTransaction } from "./postgres.ts";

/** A migration that the database has and this program does not know, as the newer program recorded it. */
export interface NewerMigration {
  readonly name: string;
  readonly compatibility: Compatibility;
}

/**
 * Runs what is pending, all of it or none. Safe when several processes start at once: PostgreSQL takes an
 * advisory lock for the transaction, SQLite the write lock; the others wait and find the work done. A database that a newer
 * program has migrated is left as it is, where that program says that this one may work on it.
 * @returns the names of the migrations that this call ran
 * @throws UnusableDatabase where it says that this one may not, or where an older program made it: it is left as it is then,
 *   too; and the database's own error
 */
export async function migrate(db: Database, edition: Edition = EDITION): Promise<string[]> {
  try {
    return await run(db, edition, (migrator) => migrator.migrateToLatest());
  } catch (error) {
    // Asked now and not before: meanwhile another process may have been the newer one.
    const newer = await newerMigrations(db, edition).catch((failure: unknown) => {
      throw failure instanceof UnusableDatabase ? failure : error;
    });
    if (newer.length === 0) throw error;
    const applied = await appliedMigrations(db, edition);
    requireCompatible(
      newer,
      Object.keys(edition.migrations).filter((name) => !applied.includes(name)),
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
 * @throws UnusableDatabase where an older program made it
 */
export async function appliedMigrations(db: Database, edition: Edition = EDITION): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const names = rows.map(({ name }) => name);
  requireBaseline(names, edition);
  return names;
}

/**
 * The migrations that the database has and this program does not know, with what they say of programs like it.
 * @throws UnusableDatabase where an older program made it
 */
export async function newerMigrations(db: Database, edition: Edition = EDITION): Promise<NewerMigration[]> {
  const applied = await appliedMigrations(db, edition);
  const unknown = applied.filter((name) => !Object.hasOwn(edition.migrations, name));
  if (unknown.length === 0) return [];
  const recorded = await db.selectFrom("migration_compatibility").selectAll().execute();
  return unknown.map((name) => {
    const row = recorded.find(({ migration }) => migration === name);
    return {
      name,
      compatibility: {
        olderPrograms: row?.older_programs ?? "refused",
        because: row?.because ?? "It says nothing of them.",
      },
    };
  });
}

/** @throws UnusableDatabase where the database begins with another migration than this program */
export function requireBaseline(applied: readonly string[], { migrations }: Edition = EDITION): void {
  const [first = ""] = Object.keys(migrations);
  if (applied.length === 0 || applied.includes(first)) return;
  throw new UnusableDatabase(
    "database_of_another_version",
    `the database was made by an earlier, unpublished version of this program (it begins with ${applied[0]}, not with ` +
      `${first}).\nThis version cannot use it, and has left it unchanged. Set DATABASE_URL to an empty database or ` +
      "DATA_DIR to a new folder, or run the version that made it.",
  );
}

/**
 * Whether this program may work on a database that a newer one has migrated.
 * @param missing migrations that this program knows and the database has not
 * @throws UnusableDatabase
 */
function requireCompatible(newer: readonly NewerMigration[], missing: readonly string[]): void {
  const works = newer.every(({ compatibility }) => compatibility.olderPrograms === "work");
  if (works && missing.length === 0) return;
  const lines = newer.map(({ name, compatibility }) => `  ${name}: ${wordsOf(compatibility)}`);
  if (missing.length > 0) lines.push(`  and it lacks ${missing.join(", ")}, which this version needs first`);
  throw new UnusableDatabase(
    "database_of_another_version",
    `the database was migrated by a newer version of this program:\n${lines.join("\n")}\n` +
      "Start that version again, or take its migrations back with it (assay database migrations --back-to), or restore the " +
      "backup from before them.",
  );
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
    const provider = { getMigrations: async () => recorded };
    const { error, results = [] } = await go(new Migrator({ db: on, provider }));
    if (error) throw error;
    return results.filter(({ status }) => status === "Success").map(({ migrationName }) => migrationName);
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
