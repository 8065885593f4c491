/** API keys with their history, impact samples, and the counters of the rate limits. */
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";
import { engineOf } from "../open.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "New tables alone; there is no program from before.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("api_keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("digest", "text", (column) => column.notNull().unique())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) =>
      column.notNull().check(sql`state in ('pending', 'active', 'revoked')`),
    )
    .addColumn("limit_per_minute", "integer", (column) => column.check(sql`limit_per_minute > 0`))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("api_key_events")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("key_id", "text", (column) => column.notNull().references("api_keys.id"))
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("detail", "text")
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("api_key_events_key").on("api_key_events").columns(["key_id", "at"]).execute();

  const samples = db.schema
    .createTable("impact_samples")
    .addColumn("asset_key", "text", (column) => column.notNull())
    .addColumn("sampled_at", "bigint", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("impact_1k_bps", "text")
    .addColumn("impact_10k_bps", "text")
    .addPrimaryKeyConstraint("impact_samples_key", ["asset_key", "sampled_at", "source"]);
  // A week of one asset lies together: the key is the table.
  await (engineOf(db) === "sqlite" ? samples.modifyEnd(sql`without rowid`) : samples).execute();

  // Several processes on one PostgreSQL count together, in the columns that rate-limiter-flexible writes.
  // Unlogged: a minute of counts may be lost with the server. With SQLite there is one process: it counts in memory.
  if (engineOf(db) === "postgres")
    await sql`create unlogged table rate_limits (
      key varchar(255) primary key, points integer not null default 0, expire bigint)`.execute(db);
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable("rate_limits").ifExists().execute();
  await db.schema.dropTable("impact_samples").execute();
  await db.schema.dropTable("api_key_events").execute();
  await db.schema.dropTable("api_keys").execute();
}
