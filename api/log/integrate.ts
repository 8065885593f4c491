/**
 * Gives waiting entries their places in the tree, in any process. It reads them with the tree's size, and writes only if
 * the size is unchanged: of concurrent processes the first wins, the others retry. There is no sequencer that could fail,
 * and a process that dies changes nothing.
 */
import { Frontier, wholeSubtrees } from "../../attestor/log/frontier.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { FAST_HASHER } from "./hasher.ts";
import { beginLog, type LogTree } from "./logTree.ts";
import { createTreeReader } from "./nodes.ts";
import { grown, storeGrowth, type Waiting } from "./placing.ts";
import type { KnownNode, Recent } from "./recent.ts";

/** Entries of one transaction: a few milliseconds, in which nobody else writes to SQLite. */
export const BATCH = 512;

export interface IntegrateDeps {
  readonly db: Database;
  /** What the log is called when it begins. */
  readonly origin: string;
  clock(): UnixMs;
}

/** The right edge of the tree as this process left it, to go on from. */
interface Kept {
  readonly origin: string;
  readonly frontier: Frontier;
}

export interface Step {
  /** How many entries got their places. */
  readonly count: number;
  /** The log as it is with them; null where none did. */
  readonly tree: LogTree | null;
}

const NOTHING: Step = { count: 0, tree: null };

/** @param recent told what got its place, once that is committed */
export function createIntegrator(deps: IntegrateDeps, recent?: Pick<Recent, "placed">) {
  const { db } = deps;
  let kept: Kept | null = null;

  async function edgeOf({ origin, size }: Pick<LogTree, "origin" | "size">): Promise<Frontier> {
    if (kept?.origin === origin && kept.frontier.size === size) return kept.frontier.copy();
    const read = createTreeReader(db).nodes(size);
    return new Frontier(size, await read(wholeSubtrees(size)), FAST_HASHER);
  }

  return {
    /**
     * One batch, all of it or nothing.
     * @throws DatabaseUnavailable
     */
    async step() {
      for (;;) {
        const { tree, waiting } = await readWaiting(db);
        if (waiting.length === 0) return NOTHING;
        if (tree === null) {
          await beginLog(db, deps.origin, deps.clock());
          continue;
        }
        // What cannot be signed shall not grow: entries wait for the log that takes over.
        if (tree.refused !== null) return NOTHING;
        const frontier = await edgeOf(tree);
        const before = edgeNodes(frontier);
        const growth = grown(frontier, waiting);
        const now = await storeGrowth(db, tree, growth);
        // Another process was first.
        if (now === null) continue;
        kept = { origin: tree.origin, frontier };
        recent?.placed({ entries: growth.entries, nodes: [...before, ...growth.whole] });
        return { count: waiting.length, tree: now };
      }
    },
  };
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

const edgeNodes = ({ size, hashes }: Frontier): KnownNode[] =>
  wholeSubtrees(size).map((node, n) => ({ ...node, hash: hashes[n] as Uint8Array }));
