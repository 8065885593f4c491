/** How many agree on a figure and how old its reference is; a basis series for each venue; what was struck out. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";
import { engineOf } from "../open.ts";

export const compatibility: Compatibility = {
  olderPrograms: "refused",
  because: "The series of basis have other names: older programs would begin them anew under the old ones.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("hour_buckets").addColumn("reference_age", "integer").execute();
  await db.schema.alterTable("hour_buckets").addColumn("witnesses", "smallint").execute();
  await db.schema.alterTable("daily_totals").addColumn("expected", "integer").execute();
  await db.schema
    .alterTable("daily_totals")
    .addColumn("late", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("strikes")
    .addColumn("series", "text", (column) => column.notNull())
    .addColumn("from_second", "bigint", (column) => column.notNull())
    .addColumn("to_second", "bigint", (column) => column.notNull())
    .addColumn("reason", "text", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("struck_at", "bigint", (column) => column.notNull())
    .addColumn("before", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("strikes_key", ["series", "from_second", "to_second"])
    .execute();
  await db.schema
    .createTable("provider_outcomes")
    .addColumn("hour", "integer", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("count", "integer", (column) => column.notNull())
    .addColumn("last_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("provider_outcomes_key", ["hour", "provider", "kind"])
    .execute();
  if (engineOf(db) === "postgres") {
    // An index that carries the figures made every update of a running hour write the index as well. Without
    // them, and with room on the page, an update stays in its page (HOT).
    await sql`alter table hour_buckets drop constraint hour_buckets_key`.execute(db);
    await sql`alter table hour_buckets add constraint hour_buckets_key primary key (series_id, hour)`.execute(
      db,
    );
    await sql`alter table hour_buckets set (fillfactor = 80)`.execute(db);
  }
  await splitBasisByVenue(db);
}

/** `basis/<ticker>` held whichever venue answered; from now on each has a series: `basis/<venue>/<ticker>`. */
async function splitBasisByVenue(db: Kysely<unknown>): Promise<void> {
  const venue =
    engineOf(db) === "sqlite" ? sql`json_extract(r.sample, '$.source')` : sql`(r.sample::json ->> 'source')`;
  const mixed = sql`(select id from series where name like 'basis/%' and name not like 'basis/%/%')`;
  const renamed = (source: ReturnType<typeof sql>) => sql`'basis/' || ${source} || '/' || substr(s.name, 7)`;
  await sql`insert into series (name)
    select distinct ${renamed(sql`o.source`)} from hour_buckets b
      join series s on s.id = b.series_id join origins o on o.id = b.origin_id where s.id in ${mixed}
    union
    select distinct ${renamed(venue)} from raw_samples r
      join series s on s.id = r.series_id where s.id in ${mixed}`.execute(db);
  // The extremes of an hour in which both venues had samples are of neither.
  await sql`update hour_buckets set lo = null, hi = null where series_id in ${mixed} and exists (
    select 1 from raw_samples r, origins o where o.id = hour_buckets.origin_id
      and r.series_id = hour_buckets.series_id and r.sampled_at >= hour_buckets.hour * 3600
      and r.sampled_at < hour_buckets.hour * 3600 + 3600 and ${venue} <> o.source)`.execute(db);
  await sql`update hour_buckets set series_id = (select n.id from series n, series s, origins o
      where s.id = hour_buckets.series_id and o.id = hour_buckets.origin_id
        and n.name = ${renamed(sql`o.source`)})
    where series_id in ${mixed}`.execute(db);
  await sql`update raw_samples as r set series_id = (select n.id from series n, series s
      where s.id = r.series_id and n.name = ${renamed(venue)})
    where series_id in ${mixed}`.execute(db);
  await sql`delete from series where id in ${mixed}`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("provider_outcomes").execute();
  await db.schema.dropTable("strikes").execute();
  await db.schema.alterTable("daily_totals").dropColumn("late").execute();
  await db.schema.alterTable("daily_totals").dropColumn("expected").execute();
  await db.schema.alterTable("hour_buckets").dropColumn("witnesses").execute();
  await db.schema.alterTable("hour_buckets").dropColumn("reference_age").execute();
}
