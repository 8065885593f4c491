/** Jobs with their reports, prepare slots, executions, and the next nonce of each owner. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "New tables alone.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("jobs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("key_id", "text", (column) => column.references("api_keys.id"))
    .addColumn("token_digest", "text", (column) => column.unique())
    .addColumn("client_request_id", "text", (column) => column.notNull())
    .addColumn("request_hash", "text", (column) => column.notNull())
    .addColumn("intent", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("last_version", "integer", (column) => column.notNull())
    .addUniqueConstraint("jobs_client_request", ["key_id", "client_request_id"])
    .addCheckConstraint("jobs_holder", sql`key_id is not null or token_digest is not null`)
    .execute();
  await db.schema
    .createTable("reports")
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull().check(sql`kind in ('initial', 'prepare')`))
    .addColumn("decision", "text", (column) => column.notNull().check(sql`decision in ('ALLOW', 'DENY')`))
    .addColumn("evidence_hash", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("execution", "text")
    .addColumn("deadline", "bigint")
    .addPrimaryKeyConstraint("reports_key", ["job_id", "version"])
    .execute();
  await db.schema
    .createTable("prepare_slots")
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("slot", "integer", (column) => column.notNull())
    .addColumn("taken_at_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("prepare_slots_key", ["job_id", "slot"])
    .execute();
  await db.schema
    .createTable("executions")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("transaction_hash", "text", (column) => column.notNull())
    .addColumn("report_version", "integer")
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('submitted', 'confirmed', 'reverted', 'mismatched', 'dropped')`),
    )
    .addColumn("confirmed", "text")
    .addColumn("reason", "text")
    .addColumn("submitted_at", "bigint", (column) => column.notNull())
    .addColumn("next_look_at", "bigint")
    .addUniqueConstraint("executions_transaction", ["job_id", "transaction_hash"])
    .execute();
  await db.schema
    .createIndex("executions_next_look")
    .on("executions")
    .column("next_look_at")
    .where(sql.ref("next_look_at"), "is not", null)
    .execute();
  await db.schema
    .createTable("owner_nonces")
    .addColumn("owner", "text", (column) => column.primaryKey())
    .addColumn("next", "bigint", (column) => column.notNull())
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ["owner_nonces", "executions", "prepare_slots", "reports", "jobs"])
    await db.schema.dropTable(table).execute();
}
