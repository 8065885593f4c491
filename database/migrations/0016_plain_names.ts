/**
 * What stood for two things has two names: the terms of a job's payment are `payment_terms`, where `quotes` also means
 * prices of a DEX; and an hour's second figure has a column for each kind of series.
 */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";
import { engineOf } from "../open.ts";

export const compatibility: Compatibility = {
  olderPrograms: "refused",
  because: "A table and a column have other names.",
};

const BASIS = sql`series_id in (select id from series where name like 'basis/%')`;

export async function up(db: Kysely<unknown>): Promise<void> {
  await renameTerms(db, "quotes", "payment_terms");
  await db.schema.alterTable("hour_buckets").renameColumn("companion", "net_edge").execute();
  await db.schema.alterTable("hour_buckets").addColumn("funding_annual", "bigint").execute();
  await sql`update hour_buckets set funding_annual = net_edge, net_edge = null
    where net_edge is not null and ${BASIS}`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`update hour_buckets set net_edge = funding_annual
    where funding_annual is not null and ${BASIS}`.execute(db);
  await db.schema.alterTable("hour_buckets").dropColumn("funding_annual").execute();
  await db.schema.alterTable("hour_buckets").renameColumn("net_edge", "companion").execute();
  await renameTerms(db, "payment_terms", "quotes");
}

/** PostgreSQL names a table's constraints after it, and leaves them so when the table gets another name. */
async function renameTerms(db: Kysely<unknown>, from: string, to: string): Promise<void> {
  await db.schema.alterTable(from).renameTo(to).execute();
  if (engineOf(db) === "sqlite") return;
  for (const constraint of ["pkey", "job_id_fkey"])
    await sql`alter table ${sql.table(to)} rename constraint
      ${sql.ref(`${from}_${constraint}`)} to ${sql.ref(`${to}_${constraint}`)}`.execute(db);
}
