/** Whether the database does what the service needs of it: a write. */
import type { Database } from "./open.ts";

/** About what a job with its first report takes, to detect a disk with room for less. */
const FILLER = "x".repeat(8_192);

/** @param nowMs unix milliseconds @throws DatabaseUnavailable */
export async function probeWriting(db: Database, nowMs: number): Promise<void> {
  await db
    .updateTable("write_probe")
    .set({ written_at: nowMs, filler: FILLER })
    .where("id", "=", 1)
    .execute();
}
