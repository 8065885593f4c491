/**
 * Gives waiting entries their places in the tree, in any process. It reads them with the tree's size, and writes only if
 * the size is unchanged: of concurrent processes the first wins, the others retry. There is no sequencer that could fail,
 * and a process that dies changes nothing.
 */
import { sql } from "kysely";
import { Frontier, wholeSubtrees } from "../../attestor/log/frontier.ts";
import { TILE_HEIGHT } from "../../attestor/log/tiles.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { type Database, engineOf } from "../../database/open.ts";
import { beginLog, type LogTree } from "./entries.ts";
import { FAST_HASHER } from "./hasher.ts";
import { createTreeReader } from "./tiles.ts";

/** Entries of one transaction: a few milliseconds, in which nobody else writes to SQLite. */
export const BATCH = 512;

export interface GrowDeps {
  readonly db: Database;
  /** What the log is called when it begins. */
  readonly origin: string;
  now(): UnixMs;
}

export interface Growth {
  /** How many entries got their places. */
  readonly count: number;
  /** The log as it is with them; null where none did. */
  readonly tree: LogTree | null;
}

const NOTHING: Growth = { count: 0, tree: null };

/** @returns places one batch, all of it or nothing; it throws DatabaseUnavailable */
export function createGrower({ db, origin, now }: GrowDeps): () => Promise<Growth> {
  /** The right edge of the tree as this process left it, to go on from. */
  let kept: { readonly origin: string; readonly frontier: Frontier } | null = null;

  async function edgeOf(tree: Pick<LogTree, "origin" | "size">): Promise<Frontier> {
    if (kept?.origin === tree.origin && kept.frontier.size === tree.size) return kept.frontier.copy();
    const read = createTreeReader(db).nodes(tree.size);
    return new Frontier(tree.size, await read(wholeSubtrees(tree.size)), FAST_HASHER);
  }

  return async () => {
    for (;;) {
      const { tree, waiting } = await readWaiting(db);
      if (waiting.length === 0) return NOTHING;
      if (tree === null) {
        await beginLog(db, origin, now());
        continue;
      }
      // What cannot be signed shall not grow: entries wait for the log that takes over.
      if (tree.refused !== null) return NOTHING;
      const frontier = await edgeOf(tree);
      const grown = await store(db, tree, addTo(frontier, waiting));
      // Another process was first.
      if (grown === null) continue;
      kept = { origin: tree.origin, frontier };
      return { count: waiting.length, tree: grown };
    }
  };
}

interface Waiting {
  readonly id: number;
  readonly entry: string;
  readonly evidence_key: number;
}

interface Found {
  readonly tree: Pick<LogTree, "origin" | "size" | "refused"> | null;
  readonly waiting: readonly Waiting[];
}

/** Both by one statement: what waits there has no place in a tree of that size. */
async function readWaiting(db: Database): Promise<Found> {
  const tree = db.selectFrom("log_tree").select(["origin", "size", "refused"]).as("tree");
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom("log_waiting")
        .select(["id", "entry", "evidence_key"])
        .orderBy("id")
        .limit(BATCH)
        .as("waiting"),
    )
    .leftJoin(tree, (join) => join.onTrue())
    .selectAll()
    .orderBy("id")
    .execute();
  const first = rows[0];
  if (first === undefined || first.origin === null) return { tree: null, waiting: rows };
  const { origin, size, refused } = first;
  if (size === null) throw new Error("the log has no size");
  return { tree: { origin, size, refused }, waiting: rows };
}

type Before = Pick<LogTree, "origin" | "size">;

/** What entries add to the tree. */
type Added = ReturnType<typeof addTo>;

/** The frontier grows with the entries. */
function addTo(frontier: Frontier, waiting: readonly Waiting[]) {
  const nodes: { level: number; position: number; hash: string }[] = [];
  const entries = waiting.map(({ entry, evidence_key }) => {
    const position = frontier.size;
    frontier.append(FAST_HASHER.leaf(utf8(entry)), ({ level, index }, hash) => {
      if (level % TILE_HEIGHT !== 0) return;
      const text = Buffer.from(hash).toString("base64");
      nodes.push({ level: level / TILE_HEIGHT, position: index, hash: text });
    });
    return { position, entry, evidence_key };
  });
  return { entries, nodes, size: frontier.size, placed: waiting.map(({ id }) => id) };
}

/**
 * All of it or nothing.
 * @returns the log as it is now; null, with nothing written, where it is not of that size any more or is not signed
 */
function store(db: Database, before: Before, added: Added): Promise<LogTree | null> {
  return engineOf(db) === "postgres" ? atOnce(db, before, added) : inTurn(db, before, added);
}

/** One statement: a process that is frozen within a transaction would keep all others waiting for its lock. */
async function atOnce(db: Database, { origin, size }: Before, added: Added): Promise<LogTree | null> {
  const { rows } = await sql<LogTree>`
    with moved as (
      update "log_tree" set "size" = ${added.size}
      where origin = ${origin} and size = ${size} and refused is null
      returning *
    ), placed as (
      insert into "log_entries" (position, entry, evidence_key)
      select given.position, given.entry, given.evidence_key
      from moved, json_to_recordset(${JSON.stringify(added.entries)}::json)
        as given(position bigint, entry text, evidence_key bigint)
    ), hashed as (
      insert into "log_nodes" (level, position, hash)
      select given.level, given.position, given.hash
      from moved, json_to_recordset(${JSON.stringify(added.nodes)}::json)
        as given(level integer, position bigint, hash text)
    ), taken as (
      delete from "log_waiting" using moved where "log_waiting".id = any(${added.placed}::bigint[])
    )
    select * from moved`.execute(db);
  return rows[0] ?? null;
}

/** SQLite writes within no `with`, and is nowhere to go to. */
async function inTurn(db: Database, { origin, size }: Before, added: Added): Promise<LogTree | null> {
  return await db.transaction().execute(async (trx) => {
    const tree = await trx
      .updateTable("log_tree")
      .set({ size: added.size })
      .where((eb) => eb.and({ origin, size }))
      .where("refused", "is", null)
      .returningAll()
      .executeTakeFirst();
    if (tree === undefined) return null;
    await trx.insertInto("log_entries").values(added.entries).execute();
    await trx.insertInto("log_nodes").values(added.nodes).execute();
    await trx.deleteFrom("log_waiting").where("id", "in", added.placed).execute();
    return tree;
  });
}
