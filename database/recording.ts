/** Migrations that leave in the database what they say of older programs, in the transaction in which they run. */
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import type { Compatibility } from "./compatibility.ts";

/** What a file in `database/migrations` exports. */
export interface OurMigration extends Migration {
  readonly compatibility: Compatibility;
}

/** The migration that makes the table. */
const FIRST = "0020_compatibility";
const TABLE = "migration_compatibility";

/** @param files by name, in order @returns the same, each with its record; the first one writes those of before, too */
export function recording(files: Readonly<Record<string, OurMigration>>): Record<string, OurMigration> {
  const before = Object.entries(files).filter(([name]) => name < FIRST);
  return Object.fromEntries(
    Object.entries(files).map(([name, file]) => {
      if (name < FIRST) return [name, file];
      const rows: [string, OurMigration][] = name === FIRST ? [...before, [name, file]] : [[name, file]];
      return [name, withRecord(name, file, rows)];
    }),
  );
}

function withRecord(name: string, file: OurMigration, rows: readonly [string, OurMigration][]): OurMigration {
  return {
    compatibility: file.compatibility,
    async up(db) {
      await file.up(db);
      for (const [migration, { compatibility }] of rows) await record(db, migration, compatibility);
    },
    async down(db) {
      if (name !== FIRST) await sql`delete from ${sql.table(TABLE)} where migration = ${name}`.execute(db);
      await file.down?.(db);
    },
  };
}

async function record(db: Kysely<unknown>, migration: string, said: Compatibility): Promise<void> {
  await sql`insert into ${sql.table(TABLE)} (migration, older_programs, because)
    values (${migration}, ${said.olderPrograms}, ${said.because})`.execute(db);
}
