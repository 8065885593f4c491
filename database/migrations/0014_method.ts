/**
 * What anybody may read: the evidence of trades that the guard carried out, and the registries and policies that evidence
 * names. And what the operator may: the raw answers behind it.
 */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "New tables and indexes alone. What becomes final under an older program is never published.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("public_evidence")
    .addColumn("evidence_hash", "text", (column) => column.primaryKey())
    .addColumn("job_id", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("version", "integer", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("public_evidence_job").on("public_evidence").column("job_id").execute();
  await db.schema.createIndex("reports_evidence").on("reports").column("evidence_hash").execute();
  await db.schema
    .createTable("definitions")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("raw_answers")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("kept_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("raw_answers_kept").on("raw_answers").column("kept_at").execute();
  // What was final before this.
  await sql`insert into public_evidence
    select reports.evidence_hash, min(reports.job_id), min(reports.version)
    from executions
    join reports on reports.job_id = executions.job_id and reports.version = executions.report_version
    where executions.state = 'confirmed' and executions.next_look_at is null and reports.execution is not null
    group by reports.evidence_hash`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex("reports_evidence").execute();
  for (const table of ["raw_answers", "definitions", "public_evidence"])
    await db.schema.dropTable(table).execute();
}
