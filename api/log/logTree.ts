/** The log's one tree: what it is called, how far it has grown, and what was signed of it. */
import type { Selectable } from "kysely";
import type { Database } from "../../database/open.ts";
import type { LogTreeTable } from "../../database/schema.ts";

export type LogTree = Selectable<LogTreeTable>;

/** Undefined before the log has begun. */
export async function findLogTree(db: Database): Promise<LogTree | undefined> {
  return await db.selectFrom("log_tree").selectAll().executeTakeFirst();
}

/** Begins the log. Where another process was first, it is that one's. @param nowMs unix milliseconds */
export async function beginLog(db: Database, origin: string, nowMs: number): Promise<void> {
  await db
    .insertInto("log_tree")
    .values({
      id: 1,
      origin,
      size: 0,
      signed_size: 0,
      checkpoint: null,
      signed_at: null,
      cosigned_size: 0,
      cosigned: null,
      refused: null,
      created_at: nowMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
