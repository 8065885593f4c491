/** Whether the database does what the service needs of it: a write. */
import { sql } from "kysely";
import { codeOf, DatabaseUnavailable, isDatabaseUnavailable } from "./databaseErrors.ts";
import { type Database, engineOf } from "./open.ts";
import { Corrupt } from "./sqliteWatch.ts";

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

/**
 * Reads all of a SQLite file, a second or so a gigabyte. PostgreSQL looks after its own.
 * @throws DatabaseUnavailable, for which `isCorrupt` holds
 */
export async function assertSound(db: Database): Promise<void> {
  if (engineOf(db) !== "sqlite") return;
  const { rows } = await sql<{
    said: string;
  }>`select quick_check as said from pragma_quick_check limit 1`.execute(db);
  const said = rows[0]?.said ?? "ok";
  if (said !== "ok") throw new DatabaseUnavailable(new Corrupt(said));
}

/** Whether an error of the database says that its file is no database any more. */
export function isCorrupt(error: unknown): error is Error & { readonly cause: Error } {
  return isDatabaseUnavailable(error) && /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error.cause) ?? "");
}
