/**
 * Gives waiting entries their places in the tree, in any process. It reads them with the tree's size, and writes only if
 * the size is unchanged: of concurrent processes the first wins, the others retry. There is no sequencer that could fail,
 * and a process that dies changes nothing.
 */
import { Frontier, wholeSubtrees } from "../../attestor/log/frontier.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { FAST_HASHER } from "./hasher.ts";
import { createTreeReader } from "./nodes.ts";
import { grown, storeGrowth, type Waiting } from "./placing.ts";
import type { KnownNode, Recent } from "./recent.ts";
import { beginShard, type Shard, shardYear, yearOf } from "./shards.ts";

/** Entries of one transaction: a few milliseconds, in which nobody else writes to SQLite. */
export const BATCH = 512;

export interface IntegrateDeps {
  readonly db: Database;
  /** What the logs of this service have in common. */
  readonly base: string;
  clock(): UnixMs;
}

/** The right edge of the tree as this process left it, to go on from. */
interface Kept {
  readonly shard: number;
  readonly frontier: Frontier;
}

export interface Step {
  /** How many entries got their places. */
  readonly count: number;
  /** The log as it is with them; null where none did. */
  readonly shard: Shard | null;
}

const NOTHING: Step = { count: 0, shard: null };

/** @param recent told what got its place, once that is committed */
export function createIntegrator(deps: IntegrateDeps, recent?: Pick<Recent, "placed">) {
  const { db } = deps;
  let kept: Kept | null = null;

  async function edgeOf({ id, size }: Pick<Shard, "id" | "size">): Promise<Frontier> {
    if (kept?.shard === id && kept.frontier.size === size) return kept.frontier.copy();
    const read = createTreeReader(db).nodes(id, size);
    return new Frontier(size, await read(wholeSubtrees(size)), FAST_HASHER);
  }

  return {
    /**
     * One batch, all of it or nothing.
     * @throws DatabaseUnavailable
     */
    async step() {
      for (;;) {
        const { shard, waiting } = await readWaiting(db);
        if (waiting.length === 0) return NOTHING;
        if (shard === null || shardYear(shard.name) < yearOf(deps.clock())) {
          // Behind the one that was read: it may have been begun by another process meanwhile, and no second is.
          await beginShard(db, shard ?? undefined, { base: deps.base, nowMs: deps.clock() });
          continue;
        }
        // What cannot be signed shall not grow: entries wait for the log that takes over.
        if (shard.refused !== null) return NOTHING;
        const frontier = await edgeOf(shard);
        const before = edgeNodes(frontier);
        const growth = grown(shard.id, frontier, waiting);
        const now = await storeGrowth(db, shard, growth);
        // Another process was first.
        if (now === null) continue;
        kept = { shard: shard.id, frontier };
        recent?.placed({ shard: shard.id, entries: growth.entries, nodes: [...before, ...growth.whole] });
        return { count: waiting.length, shard: now };
      }
    },
  };
}

interface Found {
  readonly shard: Pick<Shard, "id" | "name" | "size" | "refused"> | null;
  readonly waiting: readonly Waiting[];
}

/** Both by one statement: what waits there has no place in a tree of that size. */
async function readWaiting(db: Database): Promise<Found> {
  const newest = db
    .selectFrom("log_shards")
    .select(["id as shard", "name", "size", "refused"])
    .orderBy("id", "desc")
    .limit(1)
    .as("newest");
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom("log_waiting")
        .select(["id", "entry", "evidence_key"])
        .orderBy("id")
        .limit(BATCH)
        .as("waiting"),
    )
    .leftJoin(newest, (join) => join.onTrue())
    .selectAll()
    .orderBy("id")
    .execute();
  const first = rows[0];
  if (first === undefined || first.shard === null) return { shard: null, waiting: rows };
  const { shard: id, name, size, refused } = first;
  if (name === null || size === null) throw new Error("a log has neither name nor size");
  return { shard: { id, name, size, refused }, waiting: rows };
}

const edgeNodes = ({ size, hashes }: Frontier): KnownNode[] =>
  wholeSubtrees(size).map((node, n) => ({ ...node, hash: hashes[n] as Uint8Array }));
