/**
 * Proofs of state, once for all reports of a block that rest on the same, and the batches of samples behind liquidity
 * grades. A report names both by their hashes, and they go with the last report that does.
 */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "New tables and indexes, and new columns that may be null.",
};

const NAMED = [
  ["proofs_hash", "reports_of_proofs"],
  ["samples_root", "reports_of_samples"],
] as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("proofs")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("sample_batches")
    .addColumn("root", "text", (column) => column.primaryKey())
    .addColumn("asset_key", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  for (const [column, index] of NAMED) {
    await db.schema.alterTable("reports").addColumn(column, "text").execute();
    await db.schema
      .createIndex(index)
      .on("reports")
      .column(column)
      .where(sql.ref(column), "is not", null)
      .execute();
  }
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const [column, index] of NAMED) {
    await db.schema.dropIndex(index).execute();
    await db.schema.alterTable("reports").dropColumn(column).execute();
  }
  await db.schema.dropTable("sample_batches").execute();
  await db.schema.dropTable("proofs").execute();
}
