/** Walks a Merkle Patricia trie by the hashes of its nodes, from a root that is known to a key. */
import { BranchMPTNode, decodeMPTNode, decodeRawMPTNode } from "@ethereumjs/mpt";
import { keccak256, toHex } from "../evm/hash.ts";

/** The hash of a trie without entries: of the RLP of nothing. */
export const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

/** RLP nodes by their hash, and which of them a walk came by. */
export interface Nodes {
  /** The bytes behind a hash, which are immutable; undefined where they are missing. */
  get(hash: string): Uint8Array | undefined;
}

/** A walk that could not be ended: a node is missing, or is none. */
export class BrokenProof extends Error {}

/** What a node points at is a node of its own where that is shorter than a hash. */
type Reference = Uint8Array | Uint8Array[];
type Node = ReturnType<typeof decodeMPTNode>;

/**
 * The value under a key of the state trie or of a storage trie, whose keys are hashed.
 * @param key 0x-hex: an address, or the number of a storage slot
 * @returns null where the trie has nothing under the key
 * @throws BrokenProof
 */
export function valueAt(root: string, key: string, nodes: Nodes): Uint8Array | null {
  if (root === EMPTY_ROOT) return null;
  const path = Array.from(keccak256(key).slice(2), (digit) => Number.parseInt(digit, 16));
  let node = nodeOf(root, nodes);
  let at = 0;
  for (;;) {
    if (node instanceof BranchMPTNode) {
      // Hashed keys are of one length, so a branch cannot have a value.
      const next = path[at];
      if (next === undefined) throw new BrokenProof("a path is longer than a key");
      const child = node.getBranch(next) as Reference | null;
      if (child === null) return null;
      node = childOf(child, nodes);
      at += 1;
      continue;
    }
    const part = node.key();
    const fits = part.every((nibble, index) => nibble === path[at + index]);
    if (!fits) return null;
    at += part.length;
    if (at === path.length) return leafValue(node);
    if (isLeaf(node)) throw new BrokenProof("a leaf ends before its key");
    // No trie has one, and a chain of them would be walked once for every key.
    if (part.length === 0) throw new BrokenProof("an extension leads nowhere");
    node = childOf(node.value() as Reference, nodes);
  }
}

const isLeaf = (node: Node): boolean => "_isLeaf" in node && node._isLeaf;

function leafValue(node: Node): Uint8Array {
  const value = node.value();
  if (!isLeaf(node) || !(value instanceof Uint8Array)) throw new BrokenProof("no leaf at the end of a key");
  return value;
}

function childOf(reference: Reference, nodes: Nodes): Node {
  if (!(reference instanceof Uint8Array)) return decoded(() => decodeRawMPTNode(reference));
  if (reference.length !== 32) throw new BrokenProof("a node points at no hash");
  return nodeOf(toHex(reference), nodes);
}

/** Many keys come by the same few nodes. */
const known = new WeakMap<Uint8Array, Node>();

function nodeOf(hash: string, nodes: Nodes): Node {
  const bytes = nodes.get(hash);
  if (bytes === undefined) throw new BrokenProof(`node ${hash} is missing`);
  const node = known.get(bytes) ?? decoded(() => decodeMPTNode(bytes));
  known.set(bytes, node);
  return node;
}

function decoded(decode: () => Node): Node {
  try {
    return decode();
  } catch (error) {
    throw new BrokenProof(`a node does not parse: ${(error as Error).message}`);
  }
}
