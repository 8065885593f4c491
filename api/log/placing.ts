/** Writes what a log grows by: entries, hashes, its new size, and that nothing of it waits any more. */
import { sql } from "kysely";
import type { Frontier, Node } from "../../attestor/log/frontier.ts";
import { TILE_HEIGHT } from "../../attestor/log/tiles.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import { type Database, engineOf } from "../../database/open.ts";
import { FAST_HASHER } from "./hasher.ts";
import type { LogTree } from "./logTree.ts";
import type { KnownNode } from "./recent.ts";

export interface Waiting {
  readonly id: number;
  readonly entry: string;
  readonly evidence_key: number;
}

type Growth = ReturnType<typeof grown>;

/** What entries add to the tree. The frontier grows with them. */
export function grown(frontier: Frontier, waiting: readonly Waiting[]) {
  const nodes: { level: number; position: number; hash: string }[] = [];
  const whole: KnownNode[] = [];
  const keep = ({ level, index }: Node, hash: Uint8Array) => {
    whole.push({ level, index, hash });
    if (level % TILE_HEIGHT === 0)
      nodes.push({
        level: level / TILE_HEIGHT,
        position: index,
        hash: Buffer.from(hash).toString("base64"),
      });
  };
  const entries = waiting.map(({ entry, evidence_key }) => {
    const position = frontier.size;
    frontier.append(FAST_HASHER.leaf(utf8(entry)), keep);
    return { position, entry, evidence_key };
  });
  return {
    entries,
    /** Rows of tiles. */
    nodes,
    /** Every subtree that became whole, those within tiles too. */
    whole,
    /** Rows that wait no more. */
    taken: waiting.map(({ id }) => id),
    /** Of the tree with them. */
    size: frontier.size,
  };
}

/**
 * All of it or nothing, and nothing where the log is not of that size any more or is not signed.
 * @returns the log as it is now; null where nothing was written
 * @throws DatabaseUnavailable
 */
export async function storeGrowth(
  db: Database,
  before: Pick<LogTree, "origin" | "size">,
  growth: Growth,
): Promise<LogTree | null> {
  return await (engineOf(db) === "postgres" ? atOnce : inTurn)(db, before, growth);
}

/** One statement: certificates wait for each way to the server and back. */
async function atOnce(
  db: Database,
  { origin, size }: Pick<LogTree, "origin" | "size">,
  growth: Growth,
): Promise<LogTree | null> {
  const { rows } = await sql<LogTree>`
    with moved as (
      update "log_tree" set "size" = ${growth.size}
      where origin = ${origin} and size = ${size} and refused is null
      returning *
    ), placed as (
      insert into "log_entries" (position, entry, evidence_key)
      select given.position, given.entry, given.evidence_key
      from moved, json_to_recordset(${JSON.stringify(growth.entries)}::json)
        as given(position bigint, entry text, evidence_key bigint)
    ), hashed as (
      insert into "log_nodes" (level, position, hash)
      select given.level, given.position, given.hash
      from moved, json_to_recordset(${JSON.stringify(growth.nodes)}::json)
        as given(level integer, position bigint, hash text)
    ), taken as (
      delete from "log_waiting" using moved where "log_waiting".id = any(${growth.taken}::bigint[])
    )
    select * from moved`.execute(db);
  return rows[0] ?? null;
}

/** SQLite writes within no `with`, and is nowhere to go to. */
async function inTurn(
  db: Database,
  { origin, size }: Pick<LogTree, "origin" | "size">,
  { entries, nodes, taken, size: newSize }: Growth,
): Promise<LogTree | null> {
  return await db.transaction().execute(async (trx) => {
    const tree = await trx
      .updateTable("log_tree")
      .set({ size: newSize })
      .where((eb) => eb.and({ origin, size }))
      .where("refused", "is", null)
      .returningAll()
      .executeTakeFirst();
    if (tree === undefined) return null;
    await trx.insertInto("log_entries").values(entries).execute();
    await trx.insertInto("log_nodes").values(nodes).execute();
    await trx.deleteFrom("log_waiting").where("id", "in", taken).execute();
    return tree;
  });
}
