/**
 * Whether the tree in the database still matches what the log signed. A database restored to an older state, or with a
 * changed row, gives another tree. The log then stops signing: two contradictory checkpoints would destroy trust in it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Checkpoint, parseCheckpoint } from "../../attestor/log/checkpoint.ts";
import { HASH_LENGTH } from "../../attestor/log/hasher.ts";
import { parseNote } from "../../attestor/log/note.ts";
import { type ReadNodes, rootAt } from "../../attestor/log/proving.ts";
import { hashesAtLevel, rootOfHashes, TILE_WIDTH, tileIn } from "../../attestor/log/tiles.ts";
import { sameBytes, toBase64, utf8 } from "../../attestor/values/bytes.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import { findLogTree, type LogTree, readEntries } from "./entries.ts";
import { FAST_HASHER } from "./hasher.ts";
import { createTreeReader, type TreeReader } from "./tiles.ts";

/** A checkpoint that the log signed, and where it was kept: "in the file". */
export interface EarlierCheckpoint extends Checkpoint {
  readonly from: string;
}

/** @throws LogError for a note that holds no checkpoint */
export function checkpointIn(note: string, from: string): EarlierCheckpoint {
  return { ...parseCheckpoint(parseNote(note).text), from };
}

/**
 * Compares a tree with what was signed of it before.
 * @param nodes of the tree
 * @returns what contradicts, in words; null when nothing does
 */
export async function contradiction(
  log: LogTree,
  nodes: ReadNodes,
  earlier: readonly EarlierCheckpoint[],
): Promise<string | null> {
  for (const { from, origin, size, root } of earlier) {
    if (origin !== log.origin)
      return `the checkpoint ${from} is of the log ${origin}, and this one is ${log.origin}`;
    if (size > log.size)
      return `the checkpoint ${from} has ${size} entries, and the database ${log.size}: it was restored to an older state`;
    const ourRoot = await rootOrNull(nodes, size);
    if (ourRoot === null || !sameBytes(ourRoot, root))
      return `the checkpoint ${from} has the root ${toBase64(root)} at ${size} entries, and the database ${ourRoot === null ? "none" : toBase64(ourRoot)}: rows were changed, lost or restored from an older state`;
  }
  return null;
}

async function rootOrNull(nodes: ReadNodes, size: number): Promise<Uint8Array | null> {
  try {
    return await rootAt(size, nodes, FAST_HASHER);
  } catch (error) {
    // A row is missing. What is unavailable is another matter.
    if (error instanceof Error && error.name === "LogError") return null;
    throw error;
  }
}

/**
 * Hashes the entries of one tile again and follows them up the tree.
 * @param size of the tree
 * @param index of the tile, from 0
 * @returns what does not fit, in words; null when all does
 */
export async function tileFault(db: Database, size: number, index: number): Promise<string | null> {
  const tree = createTreeReader(db);
  const tile = tileIn(0, index, size);
  if (tile === null) return null;
  const from = index * TILE_WIDTH;
  const [entries, hashes] = await Promise.all([readEntries(db, from, tile.width), tree.tile(tile)]);
  if (entries.length !== tile.width || hashes.length !== tile.width * HASH_LENGTH)
    return `entries or hashes are missing between ${from} and ${from + tile.width}`;
  for (const [n, entry] of entries.entries())
    if (!sameBytes(FAST_HASHER.leaf(utf8(entry)), hashes.subarray(n * HASH_LENGTH, (n + 1) * HASH_LENGTH)))
      return `entry ${from + n} is not what its hash says`;
  return await tilesAbove(tree, size, index, hashes);
}

/** Each full tile's root is the hash that stands for it in the tile above. */
async function tilesAbove(
  tree: TreeReader,
  size: number,
  index: number,
  hashes: Uint8Array,
): Promise<string | null> {
  let [level, at, bytes] = [0, index, hashes];
  while (bytes.length === TILE_WIDTH * HASH_LENGTH) {
    const root = rootOfHashes(bytes, 0, TILE_WIDTH, FAST_HASHER);
    const above = tileIn(level + 1, Math.floor(at / TILE_WIDTH), size);
    const next = above === null ? new Uint8Array() : await tree.tile(above);
    const offset = (at % TILE_WIDTH) * HASH_LENGTH;
    if (!sameBytes(root, next.subarray(offset, offset + HASH_LENGTH)))
      return `tile ${at} of level ${level} is not what the tile above it says`;
    [level, at, bytes] = [level + 1, Math.floor(at / TILE_WIDTH), next];
    // The rest of a tile above is looked at once, with the last tile below it.
    if ((index + 1) % TILE_WIDTH ** level !== 0) break;
  }
  return null;
}

export function tilesOf(size: number): number {
  return Math.ceil(hashesAtLevel(0, size) / TILE_WIDTH);
}

/** Looked at before anything is signed: the newest 16,384 entries, in some tens of milliseconds. */
const TILES_AT_ONCE = 64;
const PAUSE_MS = 5;
const DAY_MS = 86_400_000;

export function startAudit(deps: {
  readonly db: Database;
  readonly log: Logger;
  refuse(reason: string): Promise<void>;
}) {
  const ending = new AbortController();
  const running: Promise<void>[] = [];

  async function follow(): Promise<void> {
    for (;;) {
      const size = (await findLogTree(deps.db))?.size ?? 0;
      for (let index = 0; index < tilesOf(size); index++) {
        const fault = await tileFault(deps.db, size, index);
        if (fault !== null) return await deps.refuse(fault);
        await sleep(PAUSE_MS, undefined, { signal: ending.signal, ref: false });
      }
      await sleep(DAY_MS, undefined, { signal: ending.signal, ref: false });
    }
  }

  return {
    /**
     * Looks at the newest entries, and goes on with all others by itself.
     * @returns what does not fit; null when all does
     */
    async begin(size: number) {
      const tiles = tilesOf(size);
      for (let index = Math.max(0, tiles - TILES_AT_ONCE); index < tiles; index++) {
        const fault = await tileFault(deps.db, size, index);
        if (fault !== null) return fault;
      }
      running.push(
        follow().catch((error: unknown) => {
          if (!ending.signal.aborted) deps.log.warn({ err: error }, "the decision log could not be checked");
        }),
      );
      return null;
    },
    async stop() {
      ending.abort();
      await Promise.all(running);
    },
  };
}
