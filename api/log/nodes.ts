/** The stored hashes of a tree, read as tiles. */
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
/** Of one statement: a proof needs no more, and SQLite joins 500 at most. */
const MOST_TOGETHER = 64;

export interface TreeReader {
  /** The hashes of a tile; fewer than its width where the tree has fewer. */
  tile(tile: Tile): Promise<Uint8Array>;
  /** Nodes of the tree of the first `size` entries. */
  nodes(size: number): ReadNodes;
}

interface Asked {
  readonly tile: Tile;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Tiles that are asked for at once, as those of a proof are, are read by one statement.
 * @param caches keeps full tiles; without it a reader of a few nodes keeps them for its lifetime
 */
export function createTreeReader(db: Database, caches?: Caches): TreeReader {
  const full = caches?.open("log tiles", TILES) ?? new Map<string, Uint8Array>();
  let together: Asked[] | null = null;

  function read(tile: Tile): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const asked = { tile, resolve, reject };
      if (together !== null && together.length < MOST_TOGETHER) return void together.push(asked);
      const group = [asked];
      together = group;
      queueMicrotask(() => {
        together = null;
        void answer(db, group);
      });
    });
  }

  const reader: TreeReader = {
    async tile(tile) {
      const name = nameOf(tile);
      const known = full.get(name);
      if (known !== undefined) return known.subarray(0, tile.width * HASH_LENGTH);
      const bytes = await read(tile);
      if (bytes.length === TILE_WIDTH * HASH_LENGTH) full.set(name, bytes);
      return bytes;
    },
    nodes: (size) => nodesFromTiles(size, (tile) => reader.tile(tile), FAST_HASHER),
  };
  return reader;
}

async function answer(db: Database, group: readonly Asked[]): Promise<void> {
  try {
    const tiles = await readTiles(db, group);
    for (const [n, { resolve }] of group.entries()) resolve(tiles[n] as Uint8Array);
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

async function readTiles(db: Database, asked: readonly Asked[]): Promise<Uint8Array[]> {
  // A tile that several ask for is read once, as wide as any of them wants it.
  const tiles = new Map<string, Asked>();
  for (const each of asked) {
    const known = tiles.get(nameOf(each.tile));
    if (known === undefined || known.tile.width < each.tile.width) tiles.set(nameOf(each.tile), each);
  }
  const [first, ...others] = [...tiles.values()].map((each, n) => rowOf(db, each, n));
  if (first === undefined) return [];
  const rows = await others.reduce((all, one) => all.unionAll(one), first).execute();
  // The parts of a union come in no order that anybody promises.
  const hashes = new Map(rows.map((row) => [row.nth, row.hashes]));
  const read = new Map([...tiles.keys()].map((name, n) => [name, bytesOf(name, hashes.get(n) ?? null)]));
  return asked.map((each) =>
    (read.get(nameOf(each.tile)) as Uint8Array).slice(0, each.tile.width * HASH_LENGTH),
  );
}

const nameOf = ({ level, index }: Tile) => `${level}/${index}`;

/** @param hashes null: the tile is empty */
function bytesOf(name: string, hashes: string | null): Uint8Array {
  const each = hashes === null ? [] : hashes.split(SEPARATOR);
  const bytes = new Uint8Array(each.length * HASH_LENGTH);
  for (const [at, hash] of each.entries()) bytes.set(decoded(hash, `${name}, place ${at}`), at * HASH_LENGTH);
  return bytes;
}

/** One row a tile: what comes of 256 rows takes longer than to find them. */
function rowOf(db: Database, { tile: { level, index, width } }: Asked, nth: number) {
  const from = index * TILE_WIDTH;
  return db
    .selectFrom("log_nodes")
    .select((eb) => [
      eb.lit(nth).as("nth"),
      sql<string | null>`string_agg(hash, ${sql.lit(SEPARATOR)} order by position)`.as("hashes"),
    ])
    .where("level", "=", level)
    .where("position", ">=", from)
    .where("position", "<", from + width);
}

function decoded(hash: string, place: string): Uint8Array {
  const bytes = Buffer.from(hash, "base64");
  if (bytes.length !== HASH_LENGTH) throw new Error(`log_nodes holds no hash at ${place}`);
  return bytes;
}
