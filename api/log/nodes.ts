/** The stored hashes of a tree, read as tiles. */
import { LRUCache } from "lru-cache";
import { fromBase64 } from "../../attestor/bytes.ts";
import { HASH_LENGTH } from "../../attestor/log/hasher.ts";
import type { ReadNodes } from "../../attestor/log/proving.ts";
import { nodesFromTiles, TILE_WIDTH, type Tile } from "../../attestor/log/tiles.ts";
import type { Database } from "../../database/open.ts";
import { FAST_HASHER } from "./hasher.ts";

/** Full tiles of 8 KiB that are kept at hand. */
const MAX_TILES = 512;

export interface TreeReader {
  /** The hashes of a tile; fewer than its width where the tree has fewer. */
  tile(shard: number, tile: Tile): Promise<Uint8Array>;
  /** Nodes of the tree of the first `size` entries. */
  nodes(shard: number, size: number): ReadNodes;
  /** Forgets what was read, so that what stands in the database counts. */
  forget(): void;
}

export function createTreeReader(db: Database): TreeReader {
  const full = new LRUCache<string, Uint8Array>({ max: MAX_TILES });
  const reader: TreeReader = {
    async tile(shard, tile) {
      const name = `${shard}/${tile.level}/${tile.index}`;
      const known = full.get(name);
      if (known !== undefined) return known.subarray(0, tile.width * HASH_LENGTH);
      const bytes = await readTile(db, shard, tile);
      if (bytes.length === TILE_WIDTH * HASH_LENGTH) full.set(name, bytes);
      return bytes;
    },
    nodes: (shard, size) => nodesFromTiles(size, (tile) => reader.tile(shard, tile), FAST_HASHER),
    forget: () => full.clear(),
  };
  return reader;
}

async function readTile(db: Database, shard: number, { level, index, width }: Tile): Promise<Uint8Array> {
  const from = index * TILE_WIDTH;
  const rows = await db
    .selectFrom("log_nodes")
    .select("hash")
    .where("shard", "=", shard)
    .where("level", "=", level)
    .where("position", ">=", from)
    .where("position", "<", from + width)
    .orderBy("position")
    .execute();
  const bytes = new Uint8Array(rows.length * HASH_LENGTH);
  for (const [n, { hash }] of rows.entries()) {
    const decoded = fromBase64(hash);
    if (decoded?.length !== HASH_LENGTH)
      throw new Error(`log_nodes holds no hash at ${shard}/${level}/${from + n}`);
    bytes.set(decoded, n * HASH_LENGTH);
  }
  return bytes;
}
