/** What a version to come may know: a migration with which older programs work, and one after which they are refused. */
import type { Kysely } from "kysely";
import { EDITION, type Edition } from "../../database/migrations/all.ts";
import type { OurMigration } from "../../database/migrations/migration.ts";

const labels: OurMigration = {
  compatibility: { olderPrograms: "work", because: "A new table, and a column that may be null." },
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("labels")
      .addColumn("name", "text", (column) => column.primaryKey())
      .execute();
    await db.schema.alterTable("jobs").addColumn("label", "text").execute();
  },
  async down(db: Kysely<unknown>) {
    await db.schema.alterTable("jobs").dropColumn("label").execute();
    await db.schema.dropTable("labels").execute();
  },
};

const renamed: OurMigration = {
  compatibility: { olderPrograms: "refused", because: "The keys' purpose has another name." },
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable("api_keys").renameColumn("purpose", "aim").execute();
    await db.schema.createTable("aims").addColumn("name", "text").execute();
  },
  async down(db: Kysely<unknown>) {
    await db.schema.dropTable("aims").execute();
    await db.schema.alterTable("api_keys").renameColumn("aim", "purpose").execute();
  },
};

export const NEXT: Edition = {
  migrations: { ...EDITION.migrations, "9001_labels": labels, "9002_renamed": renamed },
  releases: [
    { version: "8.0.0", migration: Object.keys(EDITION.migrations).at(-1)! },
    { version: "9.0.0", migration: "9001_labels" },
  ],
};
/** The same without its last migration. */
export const LABELLED: Edition = { ...NEXT, migrations: { ...EDITION.migrations, "9001_labels": labels } };
