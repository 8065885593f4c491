/**
 * Gives waiting entries their places in the tree. Any process does it, in one short transaction that has the log's row
 * locked: there is no sequencer that could be away. A process that dies within leaves everything as it was.
 */

import { utf8 } from "../../attestor/bytes.ts";
import { Frontier, type Node, wholeSubtrees } from "../../attestor/log/frontier.ts";
import type { Database } from "../../database/open.ts";
import { FAST_HASHER } from "./hasher.ts";
import { createTreeReader } from "./nodes.ts";
import { lockRunningShard, type Shard } from "./shards.ts";

/** Entries of one transaction: a few milliseconds, in which nobody else writes to SQLite. */
export const BATCH = 512;
const TILE_HEIGHT = 8;

export interface IntegrateDeps {
  readonly db: Database;
  /** What the logs of this service have in common. */
  readonly base: string;
  /** Unix milliseconds. */
  clock(): number;
}

/** The right edge of the tree as this process left it, to go on from. */
interface Kept {
  shard: number;
  frontier: Frontier;
}

export interface Integrator {
  /**
   * One transaction.
   * @returns how many entries got their places
   * @throws DatabaseUnavailable
   */
  step(): Promise<number>;
}

export function createIntegrator(deps: IntegrateDeps): Integrator {
  let kept: Kept | null = null;

  async function edgeOf(trx: Database, shard: Shard): Promise<Frontier> {
    if (kept?.shard === shard.id && kept.frontier.size === shard.size) return kept.frontier.copy();
    const read = createTreeReader(trx).nodes(shard.id, shard.size);
    return new Frontier(shard.size, await read(wholeSubtrees(shard.size)), FAST_HASHER);
  }

  return {
    async step() {
      // Without this look every round would take the write lock.
      if (!(await isAnyWaiting(deps.db))) return 0;
      const done = await deps.db.transaction().execute(async (trx) => {
        const shard = await lockRunningShard(trx, { base: deps.base, nowMs: deps.clock() });
        // What cannot be signed shall not grow: entries wait for the log that takes over.
        if (shard.refused !== null) return null;
        const waiting = await trx
          .selectFrom("log_waiting")
          .select(["id", "entry", "evidence_key"])
          .orderBy("id")
          .limit(BATCH)
          .execute();
        if (waiting.length === 0) return null;
        const frontier = await edgeOf(trx, shard);
        await place(trx, shard, frontier, waiting);
        return { shard: shard.id, frontier, count: waiting.length };
      });
      if (done === null) return 0;
      // Only now: a transaction that fails has placed nothing.
      kept = done;
      return done.count;
    },
  };
}

export async function isAnyWaiting(db: Database): Promise<boolean> {
  const row = await db.selectFrom("log_waiting").select("id").orderBy("id").limit(1).executeTakeFirst();
  return row !== undefined;
}

interface Waiting {
  readonly id: number;
  readonly entry: string;
  readonly evidence_key: number;
}

/** Rows of entries and of the hashes that they make whole. The frontier grows with them. */
export function grown(
  shard: number,
  frontier: Frontier,
  waiting: readonly Pick<Waiting, "entry" | "evidence_key">[],
) {
  const nodes: { shard: number; level: number; position: number; hash: string }[] = [];
  const keep = ({ level, index }: Node, hash: Uint8Array) => {
    if (level % TILE_HEIGHT === 0)
      nodes.push({
        shard,
        level: level / TILE_HEIGHT,
        position: index,
        hash: Buffer.from(hash).toString("base64"),
      });
  };
  const entries = waiting.map(({ entry, evidence_key }) => {
    const position = frontier.size;
    frontier.append(FAST_HASHER.leaf(utf8(entry)), keep);
    return { shard, position, entry, evidence_key };
  });
  return { entries, nodes };
}

async function place(
  trx: Database,
  shard: Shard,
  frontier: Frontier,
  waiting: readonly Waiting[],
): Promise<void> {
  const { entries, nodes } = grown(shard.id, frontier, waiting);
  await trx.insertInto("log_entries").values(entries).execute();
  await trx.insertInto("log_nodes").values(nodes).execute();
  await trx
    .deleteFrom("log_waiting")
    .where(
      "id",
      "in",
      waiting.map(({ id }) => id),
    )
    .execute();
  await trx
    .updateTable("log_shards")
    .set({ size: frontier.size })
    .where("id", "=", shard.id)
    .where("size", "=", shard.size)
    .executeTakeFirstOrThrow();
}
