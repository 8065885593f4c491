/**
 * Walks a Merkle Patricia trie by the hashes of its nodes, from a root that is known to a key. Own code, because a
 * report's proofs are one list of nodes for all keys, each once: the library's verification takes a list for each key, and
 * does not tell which nodes it came by. Decoding a node takes RLP alone.
 */
import { RLP } from "@ethereumjs/rlp";
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

/** A hash; a node of its own where that is shorter than a hash. */
type Reference = Uint8Array | readonly unknown[];

type Node =
  /** Sixteen references, by the next nibble. Keys are hashes, so none ends in a branch. */
  | { readonly kind: "branch"; readonly children: readonly unknown[] }
  | { readonly kind: "extension"; readonly path: readonly number[]; readonly child: unknown }
  | { readonly kind: "leaf"; readonly path: readonly number[]; readonly value: unknown };

/**
 * The value under a key of the state trie or of a storage trie, whose keys are hashed.
 * @param key 0x-hex: an address, or the number of a storage slot
 * @returns null where the trie has nothing under the key
 * @throws BrokenProof
 */
export function valueAt(root: string, key: string, nodes: Nodes): Uint8Array | null {
  if (root === EMPTY_ROOT) return null;
  const path = nibblesOf(keccak256(key));
  let node = nodeOf(root, nodes);
  let at = 0;
  for (;;) {
    if (node.kind === "branch") {
      const next = path[at];
      if (next === undefined) throw new BrokenProof("a path is longer than a key");
      const child = referenceOf(node.children[next]);
      if (child === null) return null;
      node = nodeBehind(child, nodes);
      at += 1;
      continue;
    }
    const isOnPath = node.path.every((nibble, index) => nibble === path[at + index]);
    if (!isOnPath) return null;
    at += node.path.length;
    if (node.kind === "leaf") {
      if (at !== path.length) throw new BrokenProof("a leaf ends before its key");
      if (!(node.value instanceof Uint8Array)) throw new BrokenProof("a leaf has no value");
      return node.value;
    }
    // No trie has one, and a chain of them would be walked once for every key.
    if (node.path.length === 0) throw new BrokenProof("an extension leads nowhere");
    const child = referenceOf(node.child);
    if (child === null) throw new BrokenProof("an extension leads nowhere");
    node = nodeBehind(child, nodes);
  }
}

/** @returns null where there is nothing */
function referenceOf(value: unknown): Reference | null {
  if (Array.isArray(value)) return value;
  if (!(value instanceof Uint8Array)) throw new BrokenProof("a node points at no hash");
  if (value.length === 0) return null;
  if (value.length !== 32) throw new BrokenProof("a node points at no hash");
  return value;
}

function nodeBehind(reference: Reference, nodes: Nodes): Node {
  return reference instanceof Uint8Array ? nodeOf(toHex(reference), nodes) : nodeIn(reference);
}

/** Many keys come by the same few nodes. */
const parsedNodes = new WeakMap<Uint8Array, Node>();

function nodeOf(hash: string, nodes: Nodes): Node {
  const bytes = nodes.get(hash);
  if (bytes === undefined) throw new BrokenProof(`node ${hash} is missing`);
  const node = parsedNodes.get(bytes) ?? nodeIn(decoded(bytes));
  parsedNodes.set(bytes, node);
  return node;
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return RLP.decode(bytes);
  } catch (error) {
    throw new BrokenProof(`a node does not parse: ${(error as Error).message}`);
  }
}

/** @param members of the node's RLP */
function nodeIn(members: unknown): Node {
  if (!Array.isArray(members)) throw new BrokenProof("a node does not parse: it is no list");
  if (members.length === 17) return { kind: "branch", children: members };
  const [prefixed, target] = members;
  if (members.length !== 2 || !(prefixed instanceof Uint8Array) || prefixed.length === 0)
    throw new BrokenProof("a node does not parse: it is neither a branch nor a path");
  // The first nibble says whether the path ends in a leaf, and whether its length is odd; if it is even, a zero follows.
  const [flags = 0, ...rest] = nibblesOf(toHex(prefixed));
  const path = flags % 2 === 1 ? rest : rest.slice(1);
  if (flags > 3) throw new BrokenProof("a node does not parse: its path has an unknown prefix");
  return flags >= 2 ? { kind: "leaf", path, value: target } : { kind: "extension", path, child: target };
}

/** The digits of hexadecimal text. */
function nibblesOf(hex: string): number[] {
  return Array.from(hex.slice(2), (digit) => Number.parseInt(digit, 16));
}
