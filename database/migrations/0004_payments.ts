/** What jobs cost, what was paid for them, and the tokens of jobs that were bought. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "New tables alone.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("quotes")
    .addColumn("job_id", "text", (column) => column.primaryKey().references("jobs.id"))
    .addColumn("accepts", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("payments")
    .addColumn("network", "text", (column) => column.notNull())
    .addColumn("asset", "text", (column) => column.notNull())
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("nonce", "text", (column) => column.notNull())
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('settling', 'settled', 'expired')`),
    )
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("pay_to", "text", (column) => column.notNull())
    .addColumn("valid_before", "bigint", (column) => column.notNull())
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("requirements", "text", (column) => column.notNull())
    .addColumn("unused_at_block", "bigint", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("attempt_until", "bigint", (column) => column.notNull())
    .addColumn("next_look_at", "bigint", (column) => column.notNull())
    .addColumn("fault", "text")
    .addColumn("transaction_hash", "text")
    .addColumn("block_number", "bigint")
    .addColumn("block_hash", "text")
    .addColumn("settled_at", "bigint")
    .addColumn("released_at", "bigint")
    // One authorization is one payment, whatever it is presented for and however often.
    .addPrimaryKeyConstraint("payments_authorization", ["network", "asset", "payer", "nonce"])
    .execute();
  // A job is paid for once: while one payment is under way or done, there is no room for another.
  await db.schema
    .createIndex("payments_of_job")
    .unique()
    .on("payments")
    .column("job_id")
    .where(sql.ref("state"), "in", sql`('settling', 'settled')`)
    .execute();
  await db.schema
    .createIndex("payments_settling")
    .on("payments")
    .column("next_look_at")
    .where(sql.ref("state"), "=", sql.lit("settling"))
    .execute();
  // To find what a payer has bought a moment ago.
  await db.schema.createIndex("payments_of_payer").on("payments").columns(["payer", "created_at"]).execute();
  await db.schema
    .createTable("job_tokens")
    .addColumn("digest", "text", (column) => column.primaryKey())
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("job_tokens_of_job").on("job_tokens").column("job_id").execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ["job_tokens", "payments", "quotes"]) await db.schema.dropTable(table).execute();
}
