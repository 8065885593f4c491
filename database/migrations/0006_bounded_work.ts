/** What keeps submitted hashes apart: which are looked at first, who sent them, and the guard's own trades. */
import { type Kysely, sql } from "kysely";

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
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ["chain_cursors", "guard_trades"]) await db.schema.dropTable(table).execute();
  for (const index of ["executions_of_key", "executions_of_transaction", "executions_look_rank"])
    await db.schema.dropIndex(index).execute();
  for (const column of ["key_id", "look_rank"])
    await db.schema.alterTable("executions").dropColumn(column).execute();
}
