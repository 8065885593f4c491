/** Leases with a number that grows with each change of their holder, by which a holder of before is told. */
import type { Kysely } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "refused",
  because:
    "The table of leases is made anew, with epochs that older programs do not write: two of them could do one work.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  // Who holds one now is a process of before, which does not know of numbers.
  await db.schema.dropTable("leases").execute();
  await db.schema
    .createTable("leases")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("epoch", "bigint", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .addColumn("renewed_at_ms", "bigint", (column) => column.notNull())
    .execute();
  // Makes the epoch a key, so that in PostgreSQL a new holder waits for what is written under the old one's epoch
  // (`for key share`), and a renewal, which leaves the epoch as it is, does not.
  await db.schema.createIndex("leases_epoch").on("leases").columns(["name", "epoch"]).unique().execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("leases").execute();
  await db.schema
    .createTable("leases")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("expires_at_ms", "bigint", (column) => column.notNull())
    .execute();
}
