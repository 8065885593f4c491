/** The trees of the log: one a year, so that none grows forever. Entries go to the newest. */
import type { Selectable } from "kysely";
import type { Database } from "../../database/open.ts";
import type { LogShardsTable } from "../../database/schema.ts";

export type Shard = Selectable<LogShardsTable>;

/** The year of a time in unix milliseconds, UTC. */
export function yearOf(ms: number): number {
  return new Date(ms).getUTCFullYear();
}

export const shardYear = (name: string): number => Number(name.slice(0, 4));

/** What a log that takes over from another is called: the year's, or the next within it. */
function nextName(before: string | undefined, year: number): string {
  if (before === undefined || shardYear(before) < year) return String(year);
  const turn = Number(before.slice(5) || "1");
  return `${before.slice(0, 4)}-${turn + 1}`;
}

/** Oldest first. */
export function listShards(db: Database): Promise<Shard[]> {
  return db.selectFrom("log_shards").selectAll().orderBy("id").execute();
}

export async function findShard(db: Database, id: number): Promise<Shard | undefined> {
  return await db.selectFrom("log_shards").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The running log; undefined before the first entry. */
export async function newestShard(db: Database): Promise<Shard | undefined> {
  return await db.selectFrom("log_shards").selectAll().orderBy("id", "desc").limit(1).executeTakeFirst();
}

export async function shardNamed(db: Database, name: string): Promise<Shard | undefined> {
  return await db.selectFrom("log_shards").selectAll().where("name", "=", name).executeTakeFirst();
}

/**
 * Begins a log. Where another process was first, it is that one's.
 * @param before the one that it takes over from
 * @param base what the logs of this service have in common
 */
export async function beginShard(
  db: Database,
  before: Pick<Shard, "id" | "name"> | undefined,
  { base, nowMs }: { base: string; nowMs: number },
): Promise<void> {
  const name = nextName(before?.name, yearOf(nowMs));
  await db
    .insertInto("log_shards")
    .values({
      id: (before?.id ?? 0) + 1,
      name,
      origin: `${base}/${name}`,
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
