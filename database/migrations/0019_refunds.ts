/** What operators pay back: one row a payment, from the proposal to the transfer that the chain has. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "A new table alone, of which the lists and sums of older programs know nothing.",
};

const PAYMENT = ["network", "asset", "payer", "nonce"] as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("refunds")
    .addColumn("network", "text", (column) => column.notNull())
    .addColumn("asset", "text", (column) => column.notNull())
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("nonce", "text", (column) => column.notNull())
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('proposed', 'sent', 'confirmed')`),
    )
    .addColumn("amount", "text", (column) => column.notNull())
    .addColumn("sender", "text", (column) => column.notNull())
    .addColumn("from_block", "bigint", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("raw_transaction", "text")
    .addColumn("sender_nonce", "bigint")
    .addColumn("transaction_hash", "text")
    .addColumn("block_number", "bigint")
    .addColumn("log_index", "integer")
    .addColumn("confirmed_at", "bigint")
    // A payment is refunded once.
    .addPrimaryKeyConstraint("refunds_payment", [...PAYMENT])
    .addForeignKeyConstraint("refunds_of_payment", [...PAYMENT], "payments", [...PAYMENT])
    .execute();
  // A transfer is one refund.
  await db.schema
    .createIndex("refunds_transfer")
    .unique()
    .on("refunds")
    .columns(["network", "transaction_hash", "log_index"])
    .where(sql.ref("state"), "=", sql.lit("confirmed"))
    .execute();
  await db.schema.createIndex("refunds_of_job").on("refunds").column("job_id").execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("refunds").execute();
}
