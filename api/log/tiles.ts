/** The stored hashes of the tree, read as tiles. */
import { sql } from "kysely";
import { HASH_LENGTH } from "../../attestor/log/hasher.ts";
import type { ReadNodes } from "../../attestor/log/proving.ts";
import { nodesFromTiles, TILE_WIDTH, type Tile } from "../../attestor/log/tiles.ts";
import type { Caches } from "../../chain/caches.ts";
import type { Database } from "../../database/open.ts";
import { FAST_HASHER } from "./hasher.ts";

/** Occurs in no hash. */
const SEPARATOR = ",";
/** Full tiles have 8 KiB. */
const TILES = { maxBytes: 4 * 1024 * 1024, lifetimeMs: 600_000, sizeOf: (tile: Uint8Array) => tile.length };

export interface TreeReader {
  /** The hashes of a tile; fewer than its width where the tree has fewer. */
  tile(tile: Tile): Promise<Uint8Array>;
  /** Nodes of the tree of the first `size` entries. Who reads several times by one of these reads each tile once. */
  nodes(size: number): ReadNodes;
}

/** @param caches keeps full tiles, which never change; without it nothing is kept */
export function createTreeReader(db: Database, caches?: Caches): TreeReader {
  const full = caches?.open("log tiles", TILES);
  async function read(tile: Tile): Promise<Uint8Array> {
    const name = `${tile.level}/${tile.index}`;
    const kept = full?.get(name);
    if (kept !== undefined) return kept.subarray(0, tile.width * HASH_LENGTH);
    const bytes = await readTile(db, tile);
    if (bytes.length === TILE_WIDTH * HASH_LENGTH) full?.set(name, bytes);
    return bytes;
  }
  return {
    tile: read,
    nodes(size) {
      const tiles = new Map<string, Promise<Uint8Array>>();
      const once = (tile: Tile) => {
        const name = `${tile.level}/${tile.index}`;
        const reading = tiles.get(name) ?? read(tile);
        tiles.set(name, reading);
        return reading;
      };
      return nodesFromTiles(size, once, FAST_HASHER);
    },
  };
}

/** Its hashes in one row: what comes of 256 rows takes longer than to find them. */
async function readTile(db: Database, { level, index, width }: Tile): Promise<Uint8Array> {
  const from = index * TILE_WIDTH;
  const { hashes } = await db
    .selectFrom("log_nodes")
    .select(sql<string | null>`string_agg(hash, ${sql.lit(SEPARATOR)} order by position)`.as("hashes"))
    .where("level", "=", level)
    .where("position", ">=", from)
    .where("position", "<", from + width)
    .executeTakeFirstOrThrow();
  const each = hashes?.split(SEPARATOR) ?? [];
  const bytes = new Uint8Array(each.length * HASH_LENGTH);
  for (const [place, hash] of each.entries()) {
    const decoded = Buffer.from(hash, "base64");
    if (decoded.length !== HASH_LENGTH)
      throw new Error(`log_nodes holds no hash at level ${level}, position ${from + place}`);
    bytes.set(decoded, place * HASH_LENGTH);
  }
  return bytes;
}
