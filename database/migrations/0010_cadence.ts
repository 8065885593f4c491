/**
 * Slots of the providers' limits that processes share; raw samples without what their series and their columns say
 * already, and on PostgreSQL not a second time in an index.
 */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";
import { engineOf } from "../open.ts";

export const compatibility: Compatibility = {
  olderPrograms: "refused",
  because: "Raw samples are lists, where older programs read objects.",
};

const PREMIUM = [
  "source",
  "session",
  "tokenPriceUsd",
  "sharesPerToken",
  "referencePriceUsd",
  "referenceSource",
  "referenceAgeSeconds",
  "witnesses",
  "impact1kBps",
  "platformFeeBps",
];
const BASIS = [
  "session",
  "perpMarkUsd",
  "spotUsd",
  "spotSource",
  "spotAgeSeconds",
  "witnesses",
  "fundingRate",
  "fundingIntervalHours",
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("provider_slots")
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("lane", "text", (column) => column.notNull())
    .addColumn("next_ms", "bigint", (column) => column.notNull())
    .addColumn("blocked_until_ms", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("provider_slots_key", ["provider", "lane"])
    .execute();
  const postgres = engineOf(db) === "postgres";
  if (postgres) {
    // Slots of the last second are of no use after a crash.
    await sql`alter table provider_slots set unlogged`.execute(db);
    await sql`alter table raw_samples drop constraint raw_samples_key`.execute(db);
  }
  await shorten(db, "premium/%", PREMIUM);
  await shorten(db, "basis/%", BASIS);
  if (postgres)
    await sql`create unique index raw_samples_key on raw_samples
      (series_id, sampled_at, hashtextextended(sample, 0))`.execute(db);
}

/** Objects become lists of their figures: names, series and time are said elsewhere. */
async function shorten(db: Kysely<unknown>, names: string, members: readonly string[]): Promise<void> {
  const member = (name: string) =>
    engineOf(db) === "sqlite"
      ? sql`coalesce(sample -> ${sql.lit(`$.${name}`)}, 'null')`
      : sql`coalesce((sample::json -> ${sql.lit(name)})::text, 'null')`;
  await sql`update raw_samples set sample = '[' || ${sql.join(members.map(member), sql` || ',' || `)} || ']'
    where sample like '{%' and series_id in (select id from series where name like ${sql.lit(names)})`.execute(
    db,
  );
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("provider_slots").execute();
  if (engineOf(db) !== "postgres") return;
  await sql`drop index raw_samples_key`.execute(db);
  await sql`alter table raw_samples add constraint raw_samples_key
    primary key (series_id, sampled_at, sample)`.execute(db);
}
