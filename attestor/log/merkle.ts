/**
 * Whether a proof holds: inclusion of a leaf in a tree, and consistency of a tree with an earlier one. The algorithms are
 * those of RFC 9162, sections 2.1.3.2 and 2.1.4.2, which give what RFC 6962 says. Nothing here throws: a proof that is of
 * no tree at all does not hold.
 */
import { sameBytes } from "../values/bytes.ts";
import { wholeSubtrees } from "./frontier.ts";
import { HASH_LENGTH, HASHER, type TreeHasher } from "./hasher.ts";

export interface Inclusion {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  /** From the leaf's sibling up. */
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

export interface Consistency {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly size: number;
  readonly root: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);

export function isIncluded(inclusion: Inclusion, hasher: TreeHasher = HASHER): boolean {
  const { index, size, leafHash, proof, root } = inclusion;
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if ([leafHash, root, ...proof].some(({ length }) => length !== HASH_LENGTH)) return false;
  let at = index;
  let last = size - 1;
  let hash = leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(at) || at === last) {
      hash = hasher.node(sibling, hash);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else hash = hasher.node(hash, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && sameBytes(hash, root);
}

/** Of an old tree without leaves there is no proof, since every tree goes on from it: this is false then. */
export function isConsistent(consistency: Consistency, hasher: TreeHasher = HASHER): boolean {
  const { oldSize, oldRoot, size, root, proof } = consistency;
  if (!isCount(oldSize) || !isCount(size) || oldSize === 0 || oldSize > size) return false;
  if (oldSize === size) return proof.length === 0 && sameBytes(oldRoot, root);
  if ([oldRoot, root, ...proof].some(({ length }) => length !== HASH_LENGTH)) return false;
  // Where the old tree is a whole subtree of the new one, its root is not said again.
  const isWhole = wholeSubtrees(oldSize).length === 1;
  const roots = rootsOf(oldSize, size, isWhole ? [oldRoot, ...proof] : proof, hasher);
  return roots !== null && sameBytes(roots.before, oldRoot) && sameBytes(roots.now, root);
}

/**
 * The roots of an old tree and of the one that continues it, by a proof which says the old root also where that is a whole
 * subtree. @returns null for a proof of another length
 */
export function rootsOf(
  oldSize: number,
  size: number,
  [first, ...rest]: readonly Uint8Array[],
  hasher: TreeHasher = HASHER,
): { readonly before: Uint8Array; readonly now: Uint8Array } | null {
  if (first === undefined) return null;
  let at = oldSize - 1;
  let last = size - 1;
  while (isOdd(at)) [at, last] = [half(at), half(last)];
  let before = first;
  let now = first;
  for (const sibling of rest) {
    if (last === 0) return null;
    if (isOdd(at) || at === last) {
      before = hasher.node(sibling, before);
      now = hasher.node(sibling, now);
      while (!isOdd(at) && at !== 0) [at, last] = [half(at), half(last)];
    } else now = hasher.node(now, sibling);
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? { before, now } : null;
}
