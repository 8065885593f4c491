/**
 * The coordinates and contents of tiles (https://c2sp.org/tlog-tiles): the log as static files. A tile holds up to 256
 * consecutive hashes of its level, and stands for a subtree of height 8.
 */
import type { Node } from "./frontier.ts";
import { HASH_LENGTH, HASHER, type TreeHasher } from "./hasher.ts";
import { LogError } from "./logError.ts";
import type { ReadNodes } from "./proving.ts";

/** Hashes of a full tile, and entries of a full bundle. */
export const TILE_WIDTH = 256;
/** Levels of the tree in a tile. */
export const TILE_HEIGHT = 8;
const MAX_LEVEL = 63;
/** Six groups of three digits: more than any log will have. */
const MAX_GROUPS = 5;

export interface Tile {
  /** Of the tile, 0 to 63: eight levels of the tree each. */
  readonly level: number;
  readonly index: number;
  /** 1 to 256; below 256 it is partial. */
  readonly width: number;
}

/** `x001/x234/067`, and `.p/112` behind it for a partial tile. */
export function tileName({ index, width }: Pick<Tile, "index" | "width">): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, "0");
  const groups = padded.match(/.{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join("/");
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** @returns null for a name in any other form than the one that `tileName` gives */
export function parseTileName(name: string): Pick<Tile, "index" | "width"> | null {
  const match = /^((?:x[0-9]{3}\/)*[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(name);
  const groups = match?.[1]?.split("/");
  if (!groups || groups.length > MAX_GROUPS) return null;
  const width = match?.[2] === undefined ? TILE_WIDTH : Number(match[2]);
  const tile = { index: Number(groups.join("").replaceAll("x", "")), width };
  return tileName(tile) === name ? tile : null;
}

/** @returns null for a level that no tile has */
export function parseTileLevel(text: string): number | null {
  return /^(0|[1-9][0-9]?)$/.test(text) && Number(text) <= MAX_LEVEL ? Number(text) : null;
}

/** How many hashes a level of tiles has in a tree of a size. */
export function hashesAtLevel(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tile at a level and index in a tree of a size; null where it is empty. */
export function tileIn(level: number, index: number, size: number): Tile | null {
  const width = Math.min(TILE_WIDTH, hashesAtLevel(level, size) - index * TILE_WIDTH);
  return width < 1 ? null : { level, index, width };
}

/** Which tile holds a node's hash, or the hashes that it is made of. */
function tileOf({ level, index }: Node): { level: number; index: number; from: number; count: number } {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  const count = 2 ** (level % TILE_HEIGHT);
  const from = index * count;
  return { level: tileLevel, index: Math.floor(from / TILE_WIDTH), from: from % TILE_WIDTH, count };
}

/**
 * Reads nodes out of tiles, each tile once.
 * @param size of the tree that the nodes are part of
 * @param readTile a tile's bytes, `width` hashes of them
 * @throws LogError for a tile of another length, or a node that a tree of this size does not have
 */
export function nodesFromTiles(
  size: number,
  readTile: (tile: Tile) => Promise<Uint8Array>,
  hasher: TreeHasher = HASHER,
): ReadNodes {
  const tiles = new Map<string, Promise<Uint8Array>>();
  const bytesOf = async (tile: Tile): Promise<Uint8Array> => {
    const bytes = await readTile(tile);
    if (bytes.length !== tile.width * HASH_LENGTH)
      throw new LogError(`tile ${tile.level}/${tileName(tile)} has ${bytes.length} bytes`);
    return bytes;
  };
  const hashOf = async (node: Node): Promise<Uint8Array> => {
    const { level, index, from, count } = tileOf(node);
    const tile = tileIn(level, index, size);
    if (tile === null || from + count > tile.width)
      throw new LogError(`a tree of ${size} leaves has no node ${node.level}/${node.index}`);
    const name = `${level}/${index}`;
    const reading = tiles.get(name) ?? bytesOf(tile);
    tiles.set(name, reading);
    return rootOfHashes(await reading, from, count, hasher);
  };
  return (nodes) => Promise.all(nodes.map(hashOf));
}

/** Root of `count` (a power of two) hashes that stand one after the other. */
export function rootOfHashes(
  bytes: Uint8Array,
  from: number,
  count: number,
  hasher: TreeHasher = HASHER,
): Uint8Array {
  if (count === 1) return bytes.slice(from * HASH_LENGTH, (from + 1) * HASH_LENGTH);
  const half = count / 2;
  return hasher.node(rootOfHashes(bytes, from, half, hasher), rootOfHashes(bytes, from + half, half, hasher));
}

const LONGEST_ENTRY = 65_535;

/** An entry bundle: each entry behind its length, two bytes big-endian. @throws LogError for an entry over 65,535 bytes */
export function bundleOf(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((length, entry) => length + 2 + entry.length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > LONGEST_ENTRY) throw new LogError(`an entry has ${entry.length} bytes`);
    bytes[at] = entry.length >> 8;
    bytes[at + 1] = entry.length & 255;
    bytes.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bytes;
}

/** @throws LogError for bytes that end within an entry */
export function entriesOf(bundle: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const length = ((bundle[at] ?? 0) << 8) | (bundle[at + 1] ?? 0);
    const end = at + 2 + length;
    if (end > bundle.length) throw new LogError("an entry bundle ends within an entry");
    entries.push(bundle.slice(at + 2, end));
    at = end;
  }
  return entries;
}
