/** Whether the database does what the service needs of it: a write. */
import { sql } from "kysely";
import { type Database, engineOf } from "./open.ts";

/** About what a job with its first report takes. */
const FILLER = "x".repeat(8_192);

/** @param nowMs unix milliseconds @throws DatabaseUnavailable */
export async function probeWriting(db: Database, nowMs: number): Promise<void> {
  await db
    .updateTable("write_probe")
    .set({ written_at: nowMs, filler: FILLER })
    .where("id", "=", 1)
    .execute();
}

/** By the database's own clock, unix milliseconds; null: it has none but this machine's. @throws DatabaseUnavailable */
export async function databaseTime(db: Database): Promise<number | null> {
  if (engineOf(db) === "sqlite") return null;
  const { rows } = await sql<{
    at: number;
  }>`select extract(epoch from clock_timestamp())::float8 as at`.execute(db);
  return Number(rows[0]?.at) * 1_000;
}
