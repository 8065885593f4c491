/** What each migration says of older programs, so that one that does not know it can ask the database. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because:
    "A new table alone. Version 0.1.0 goes on where it runs, and does not start again: it cannot read the table.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("migration_compatibility")
    .addColumn("migration", "text", (column) => column.primaryKey())
    .addColumn("older_programs", "text", (column) =>
      column.notNull().check(sql`older_programs in ('work', 'refused')`),
    )
    .addColumn("because", "text", (column) => column.notNull())
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("migration_compatibility").execute();
}
