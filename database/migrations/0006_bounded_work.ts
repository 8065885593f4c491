/**
 * What keeps submitted hashes apart: which are looked at first, who sent them, and the guard's own trades. Who bought
 * which body lately, and whose attempt to settle, or call to prepare, is whose. What finds the jobs that are old enough to go.
 */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "New tables and indexes, and new columns that have a default or may be null.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("executions")
    .addColumn("look_rank", "integer", (column) => column.notNull().defaultTo(2))
    .execute();
  await db.schema.alterTable("executions").addColumn("key_id", "text").execute();
  await db.schema
    .createIndex("executions_look_rank")
    .on("executions")
    .columns(["look_rank", "submitted_at"])
    .where(sql.ref("next_look_at"), "is not", null)
    .execute();
  await db.schema
    .createIndex("executions_of_transaction")
    .on("executions")
    .column("transaction_hash")
    .execute();
  await db.schema
    .createIndex("executions_of_key")
    .on("executions")
    .column("key_id")
    .where(sql.ref("state"), "=", sql.lit("submitted"))
    .execute();
  await db.schema
    .createTable("guard_trades")
    .addColumn("transaction_hash", "text", (column) => column.primaryKey())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("guard_trades_seen").on("guard_trades").column("seen_at").execute();
  await db.schema
    .createTable("chain_cursors")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("block", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.alterTable("payments").addColumn("attempt_owner", "text").execute();
  await db.schema.alterTable("prepare_slots").addColumn("owner", "text").execute();
  await db.schema.alterTable("prepare_slots").addColumn("lent_until_ms", "bigint").execute();
  await createBodyPurchases(db);
  await createAges(db);
}

async function createAges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("jobs")
    .addColumn("sold", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  const ofJobs = (name: string, where: ReturnType<typeof sql<boolean>>) =>
    db.schema.createIndex(name).on("jobs").column("created_at").where(where).execute();
  // By coalesce: SQLite takes the index of key_id for a plain "is null", and sorts half the table.
  await ofJobs("jobs_age_one_shot", sql<boolean>`sold = 0 and coalesce(key_id, '') = ''`);
  await ofJobs("jobs_age_of_keys", sql<boolean>`sold = 0 and coalesce(key_id, '') <> ''`);
  await ofJobs("jobs_age_sold", sql<boolean>`sold = 1`);
  // Every job that goes is looked for in here.
  await db.schema.createIndex("payments_job").on("payments").column("job_id").execute();
  await db.schema
    .createIndex("payments_age_expired")
    .on("payments")
    .column("created_at")
    .where(sql.ref("state"), "=", sql.lit("expired"))
    .execute();
}

async function createBodyPurchases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("body_purchases")
    .addColumn("payer", "text", (column) => column.notNull())
    .addColumn("intent_hash", "text", (column) => column.notNull())
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("answers_until", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    // Two payments for the same at once: one of them gets the row, and the other is answered from it.
    .addPrimaryKeyConstraint("body_purchases_key", ["payer", "intent_hash", "identifier"])
    .execute();
  await db.schema
    .createIndex("body_purchases_identifier")
    .unique()
    .on("body_purchases")
    .columns(["payer", "identifier"])
    .where(sql.ref("identifier"), "<>", sql.lit(""))
    .execute();
  await db.schema.createIndex("body_purchases_of_job").on("body_purchases").column("job_id").execute();
  // What is under way while this runs must not be charged a second time.
  await sql`insert into body_purchases
    select payments.payer, jobs.request_hash, '', min(jobs.id), min(payments.created_at),
      min(payments.created_at) + 600, min(payments.created_at) + 600
    from payments join jobs on jobs.id = payments.job_id
    where payments.state = 'settling' and jobs.key_id is null
    group by payments.payer, jobs.request_hash`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ["body_purchases", "chain_cursors", "guard_trades"])
    await db.schema.dropTable(table).execute();
  for (const index of ["payments_age_expired", "payments_job", "jobs_age_sold", "jobs_age_of_keys"])
    await db.schema.dropIndex(index).execute();
  await db.schema.dropIndex("jobs_age_one_shot").execute();
  await db.schema.alterTable("jobs").dropColumn("sold").execute();
  for (const column of ["lent_until_ms", "owner"])
    await db.schema.alterTable("prepare_slots").dropColumn(column).execute();
  await db.schema.alterTable("payments").dropColumn("attempt_owner").execute();
  for (const index of ["executions_of_key", "executions_of_transaction", "executions_look_rank"])
    await db.schema.dropIndex(index).execute();
  for (const column of ["key_id", "look_rank"])
    await db.schema.alterTable("executions").dropColumn(column).execute();
}
