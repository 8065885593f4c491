/** How the parts of the service were found, so that /status can tell of 90 days. */
import type { Kysely } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "New tables alone.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("status_days")
    .addColumn("part", "text", (column) => column.notNull())
    .addColumn("day", "integer", (column) => column.notNull())
    .addColumn("good", "integer", (column) => column.notNull())
    .addColumn("bad", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("status_days_key", ["part", "day"])
    .execute();
  await db.schema
    .createTable("status_parts")
    .addColumn("part", "text", (column) => column.primaryKey())
    .addColumn("works", "integer", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .addColumn("checked_at", "bigint", (column) => column.notNull())
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ["status_parts", "status_days"]) await db.schema.dropTable(table).execute();
}
