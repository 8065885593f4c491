/** Reads at a block, shared by all who ask at that block. */
import { type Caches, openAnswers } from "../caches.ts";

/**
 * Remembers what was read at a block. A block's state never changes, so all reads at one block hash share their
 * result. Many jobs between two blocks cost the node little more than one. A failed read says nothing about the
 * block: the next one tries again.
 */
export type BlockMemo = <T>(blockHash: string, key: string, read: () => Promise<T>) => Promise<T>;

/** On a chain that makes no blocks everything is read again after this. */
const MEMO_MS = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;

export function createBlockMemo(caches: Caches): BlockMemo {
  const facts = openAnswers(caches, "block facts", { maxBytes: MAX_BYTES, lifetimeMs: MEMO_MS });
  return (blockHash, key, read) => facts(`${blockHash} ${key}`, read);
}
