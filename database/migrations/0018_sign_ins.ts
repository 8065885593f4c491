/** Which sign-ins of payers were used, and what finds the purchases of one of them. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "A new table and a new index alone.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sign_ins")
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("nonce", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    // Two requests with one signature at once: one of them gets the row.
    .addPrimaryKeyConstraint("sign_ins_key", ["payer", "nonce"])
    .execute();
  await db.schema.createIndex("sign_ins_expiry").on("sign_ins").column("expires_at").execute();
  await db.schema
    .createIndex("payments_settled_of_payer")
    .on("payments")
    .columns(["payer", "settled_at", "job_id"])
    .where(sql.ref("state"), "=", sql.lit("settled"))
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex("payments_settled_of_payer").execute();
  await db.schema.dropTable("sign_ins").execute();
}
