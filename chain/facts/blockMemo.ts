/** Reads at a block, shared by all who ask at that block. */
import { LRUCache } from "lru-cache";

/**
 * Remembers what was read at a block. A block's state never changes, so reads at one block hash are
 * shared by all who ask at that block: many jobs between two blocks cost the node little more than one.
 */
export type BlockMemo = <T>(blockHash: string, key: string, read: () => Promise<T>) => Promise<T>;

/** The newest block, and the one before for those who are still reading there. */
const BLOCKS_KEPT = 2;

/** Bounds what one block can hold: keys carry what clients ask for. */
const ENTRIES_PER_BLOCK = 1_000;

export function createBlockMemo(): BlockMemo {
  const blocks = new LRUCache<string, Map<string, Promise<unknown>>>({ max: BLOCKS_KEPT });
  return <T>(blockHash: string, key: string, read: () => Promise<T>): Promise<T> => {
    // Who still reads at an old block does not keep it from making room for a new one.
    let entries = blocks.peek(blockHash);
    if (entries === undefined) {
      entries = new Map();
      blocks.set(blockHash, entries);
    }
    const known = entries.get(key);
    // Sound, since a key is used by one reader alone.
    if (known !== undefined) return known as Promise<T>;
    const reading = read();
    if (entries.size < ENTRIES_PER_BLOCK) {
      const kept = entries;
      kept.set(key, reading);
      // A failed read says nothing about the block: the next one tries again.
      reading.catch(() => kept.delete(key));
    }
    return reading;
  };
}
