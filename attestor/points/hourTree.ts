/**
 * The tree over the points of an hour: RFC 6962's, with the texts of the points as its leaves. Its leaf hashes are kept in
 * tiles of 256, so that a path takes one tile and the roots of all.
 */
import { HASH_LENGTH, HASHER, type TreeHasher } from "../log/hasher.ts";
import { inclusionProof, type ReadNodes, rootAt } from "../log/proving.ts";
import { rootOfHashes, TILE_WIDTH } from "../log/tiles.ts";

const readerOf =
  (hashes: Uint8Array, hasher: TreeHasher): ReadNodes =>
  async (nodes) =>
    nodes.map(({ level, index }) => rootOfHashes(hashes, index * 2 ** level, 2 ** level, hasher));

const countIn = (hashes: Uint8Array): number => hashes.length / HASH_LENGTH;

/** @param hashes one behind the other: of leaves, or of the roots of tiles that are full, but for the last */
export const rootOver = (hashes: Uint8Array, hasher: TreeHasher = HASHER): Promise<Uint8Array> =>
  rootAt(countIn(hashes), readerOf(hashes, hasher), hasher);

/**
 * @param index of the point among those of its hour
 * @param tile hashes of the leaves of its tile, one behind the other
 * @param roots of all tiles of the hour, one behind the other
 * @returns from the leaf's sibling up
 * @throws RangeError for a point that the tree does not have
 */
export async function pathOf(
  index: number,
  tile: Uint8Array,
  roots: Uint8Array,
  hasher: TreeHasher = HASHER,
): Promise<Uint8Array[]> {
  const part = (at: number, hashes: Uint8Array) =>
    inclusionProof(at, countIn(hashes), readerOf(hashes, hasher), hasher);
  return [...(await part(index % TILE_WIDTH, tile)), ...(await part(Math.floor(index / TILE_WIDTH), roots))];
}
