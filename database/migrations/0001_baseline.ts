/** The first migration makes every table, from the plain SQL in `database/baseline/`. */
import { readFileSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import type { Compatibility } from "../compatibility.ts";
import { engineOf } from "../open.ts";

export const compatibility: Compatibility = {
  olderPrograms: "refused",
  because: "There is no program from before.",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  const file = new URL(`../baseline/${engineOf(db)}.sql`, import.meta.url);
  // SQLite takes one statement at a time.
  for (const statement of readFileSync(file, "utf8").trim().split(/;\n/))
    await sql.raw(statement).execute(db);
}

export async function down(): Promise<void> {
  throw new Error("there is nothing before the baseline");
}
