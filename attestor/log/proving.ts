/** Makes proofs from any source of the hashes of whole subtrees: a database, or fetched tiles. */
import { type Node, wholeSubtrees } from "./frontier.ts";
import { HASHER, type TreeHasher } from "./hasher.ts";

/** The hashes of these subtrees, in their order. */
export type ReadNodes = (nodes: readonly Node[]) => Promise<readonly Uint8Array[]>;

/** Leaves `from` up to, and not with, `to`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The largest power of two below a number of at least two. */
function splitOf(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** PATH of RFC 6962, section 2.1.1, from the leaf's sibling up. */
function inclusionSpans(index: number, span: Span): Span[] {
  const count = span.to - span.from;
  if (count === 1) return [];
  const middle = span.from + splitOf(count);
  return index < middle
    ? [...inclusionSpans(index, { from: span.from, to: middle }), { from: middle, to: span.to }]
    : [...inclusionSpans(index, { from: middle, to: span.to }), { from: span.from, to: middle }];
}

/** SUBPROOF of RFC 6962, section 2.1.2. */
function consistencySpans(oldSize: number, span: Span, isOldRootKnown: boolean): Span[] {
  if (oldSize === span.to) return isOldRootKnown ? [] : [span];
  const middle = span.from + splitOf(span.to - span.from);
  return oldSize <= middle
    ? [
        ...consistencySpans(oldSize, { from: span.from, to: middle }, isOldRootKnown),
        { from: middle, to: span.to },
      ]
    : [...consistencySpans(oldSize, { from: middle, to: span.to }, false), { from: span.from, to: middle }];
}

/** The whole subtrees under a span that starts where a subtree as large as it may start. */
function nodesUnder({ from, to }: Span): Node[] {
  return wholeSubtrees(to - from).map(({ level, index }) => ({ level, index: from / 2 ** level + index }));
}

async function hashesOf(spans: readonly Span[], read: ReadNodes, hasher: TreeHasher): Promise<Uint8Array[]> {
  const parts = spans.map(nodesUnder);
  const hashes = await read(parts.flat());
  let at = 0;
  return parts.map(({ length }) => {
    const nodesOfPart = hashes.slice(at, at + length);
    at += length;
    return nodesOfPart.reduceRight((right, left) => hasher.node(left, right));
  });
}

/** @throws RangeError for a leaf that the tree does not have */
export async function inclusionProof(
  index: number,
  size: number,
  read: ReadNodes,
  hasher: TreeHasher = HASHER,
): Promise<Uint8Array[]> {
  if (!(index >= 0 && index < size)) throw new RangeError(`a tree of ${size} leaves has none at ${index}`);
  return await hashesOf(inclusionSpans(index, { from: 0, to: size }), read, hasher);
}

/**
 * @param isOldRootKnown false: the proof says the old root also where that is a whole subtree
 * @throws RangeError for an old tree that is larger than the new one
 */
export async function consistencyProof(
  oldSize: number,
  size: number,
  read: ReadNodes,
  { hasher = HASHER, isOldRootKnown = true } = {},
): Promise<Uint8Array[]> {
  if (!(oldSize >= 0 && oldSize <= size))
    throw new RangeError(`no tree of ${oldSize} is part of one of ${size}`);
  if (oldSize === 0 || oldSize === size) return [];
  return await hashesOf(consistencySpans(oldSize, { from: 0, to: size }, isOldRootKnown), read, hasher);
}

/** Root of the tree of the first `size` leaves. */
export async function rootAt(
  size: number,
  read: ReadNodes,
  hasher: TreeHasher = HASHER,
): Promise<Uint8Array> {
  if (size === 0) return hasher.empty;
  const [root] = await hashesOf([{ from: 0, to: size }], read, hasher);
  return root as Uint8Array;
}
