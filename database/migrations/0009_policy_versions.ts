/** A job is judged to its end by the version of its policy that it was created with. Those of before have the first. */
import type { Kysely } from "kysely";
import type { Compatibility } from "../compatibility.ts";

export const compatibility: Compatibility = {
  olderPrograms: "work",
  because: "A new column, whose default is the version by which older programs judge.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("jobs")
    .addColumn("policy_version", "integer", (column) => column.notNull().defaultTo(1))
    .execute();
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("jobs").dropColumn("policy_version").execute();
}
