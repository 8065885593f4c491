/**
 * Caches what this process placed and signed last. A certificate that waits for its checkpoint then needs no query, and
 * concurrent ones do not each read the same rows.
 */
import type { Node } from "../../attestor/log/frontier.ts";
import { isIncluded } from "../../attestor/log/merkle.ts";
import { inclusionProof } from "../../attestor/log/proving.ts";
import { tlogProofText } from "../../attestor/log/tlogProof.ts";
import { utf8 } from "../../attestor/values/bytes.ts";
import { bytesOf, type Caches, ownBytes } from "../../chain/caches.ts";
import { FAST_HASHER } from "./hasher.ts";

/** A certificate waits some seconds for its checkpoint; each batch comes with the subtrees that its proofs take. */
const LIFETIME_MS = 600_000;
const NODES = { maxBytes: 8 * 1024 * 1024, lifetimeMs: LIFETIME_MS, sizeOf: bytesOf };
const PLACES = { maxBytes: 4 * 1024 * 1024, lifetimeMs: LIFETIME_MS, sizeOf: bytesOf };

export interface KnownNode extends Node {
  readonly hash: Uint8Array;
}

/** Entries that got their places in one transaction. */
export interface Placed {
  readonly entries: readonly { readonly entry: string; readonly position: number }[];
  /** The whole subtrees of the tree before, and those that the entries made whole. */
  readonly nodes: readonly KnownNode[];
}

export interface SignedTree {
  readonly size: number;
  readonly root: Uint8Array;
  /** The checkpoint as a signed note. */
  readonly note: string;
}

export type Recent = ReturnType<typeof rememberRecent>;

export function rememberRecent(caches: Caches) {
  const nodes = caches.open<Uint8Array>("log nodes", NODES);
  const places = caches.open<number>("log places", PLACES);
  let tree: SignedTree | null = null;
  const nameOf = ({ level, index }: Node) => `${level}/${index}`;

  return {
    /** After the transaction, and not before: what it placed may yet be undone. */
    placed({ entries, nodes: whole }: Placed) {
      for (const node of whole) nodes.set(nameOf(node), ownBytes(node.hash));
      for (const { entry, position } of entries) places.set(entry, position);
    },
    /** What this process signed last. */
    signed(newest: SignedTree) {
      tree = newest;
    },
    /** The proof of an entry, if all its parts are cached; null is no statement. */
    async proofOf(entry: string) {
      const index = places.get(entry);
      if (index === undefined || tree === null || tree.size <= index) return null;
      let isWhole = true;
      const read = async (asked: readonly Node[]) =>
        asked.map((node) => {
          const hash = nodes.get(nameOf(node));
          isWhole &&= hash !== undefined;
          return hash ?? FAST_HASHER.empty;
        });
      const { size, root, note } = tree;
      const path = await inclusionProof(index, size, read, FAST_HASHER);
      // Compared with what was signed: the database may have been restored and grown differently since.
      const leafHash = FAST_HASHER.leaf(utf8(entry));
      if (!isWhole || !isIncluded({ index, size, leafHash, proof: path, root }, FAST_HASHER)) return null;
      return tlogProofText({ index, path, checkpoint: note });
    },
  };
}
