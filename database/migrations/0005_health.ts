/** What keeps the service on its feet: counts of payments by index, and a row to try writing with. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "A new index and a new table alone.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  // Payments are counted for the metrics: from this index, without reading what buyers sent.
  await db.schema
    .createIndex("payments_by_state")
    .on("payments")
    .columns(["state", "network", "asset", "created_at"])
    .execute();
  await db.schema
    .createTable("write_probe")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("written_at", "bigint", (column) => column.notNull())
    .addColumn("filler", "text", (column) => column.notNull())
    .execute();
  await sql`insert into write_probe (id, written_at, filler) values (1, 0, '')`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("write_probe").execute();
  await db.schema.dropIndex("payments_by_state").execute();
}
