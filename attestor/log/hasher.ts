/** The hashing of RFC 6962, section 2.1, with SHA-256. A server may bring a faster one of the same kind. */
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes } from "@noble/hashes/utils.js";

/** Bytes of a hash. */
export const HASH_LENGTH = 32;

export interface TreeHasher {
  /** SHA-256 of 0x00 and the entry. */
  leaf(entry: Uint8Array): Uint8Array;
  /** SHA-256 of 0x01 and the two hashes. */
  node(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** Root of the tree without leaves. */
  readonly empty: Uint8Array;
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const HASHER: TreeHasher = {
  leaf: (entry) => sha256(concatBytes(LEAF, entry)),
  node: (left, right) => sha256(concatBytes(NODE, left, right)),
  empty: sha256(new Uint8Array()),
};
