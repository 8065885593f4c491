/** Caches of one process. Each is bounded by the bytes that it keeps alive and by time, and tells what it holds. */
import { LRUCache } from "lru-cache";

/** What an entry takes beside its key and its value: places in the list, the map, the times. */
const ENTRY_BYTES = 256;
/** An answer on its way: the promise, and who waits for it. */
const PENDING_BYTES = 512;

export interface Bounds<V> {
  /** Of all entries. What is larger by itself is not kept; what was not asked for the longest goes first. */
  readonly maxBytes: number;
  /** Milliseconds since an entry was stored. */
  readonly lifetimeMs: number;
  /** Bytes of memory that a value keeps alive. */
  sizeOf(value: V): number;
}

/** What the caches of one name hold. */
export interface Held {
  readonly cache: string;
  readonly bytes: number;
  readonly entries: number;
}

export interface Caches {
  /** @param name in the field `cache` of the metrics; caches of one name are counted together */
  open<V extends object | number>(name: string, bounds: Bounds<V>): LRUCache<string, V>;
  /** Drops what is too old, and counts the rest. */
  held(): Held[];
}

/** @param monotonic milliseconds on a clock that never goes back */
export function createCaches(monotonic: () => number): Caches {
  /** Weak, because the log's publisher opens a cache with each lease and drops it. */
  const opened = new Map<WeakRef<LRUCache<string, object | number>>, string>();
  return {
    open<V extends object | number>(name: string, { maxBytes, lifetimeMs, sizeOf }: Bounds<V>) {
      const cache = new LRUCache<string, V>({
        maxSize: maxBytes,
        ttl: lifetimeMs,
        // With 0 it reads the clock each time and sets no timer.
        ttlResolution: 0,
        perf: { now: monotonic },
        sizeCalculation: (value, key) => ENTRY_BYTES + key.length + Math.ceil(sizeOf(value)),
      });
      opened.set(new WeakRef(cache as unknown as LRUCache<string, object | number>), name);
      return cache;
    },
    held() {
      const held = new Map<string, Held>();
      for (const [ref, name] of opened) {
        const cache = ref.deref();
        if (cache === undefined) {
          opened.delete(ref);
          continue;
        }
        cache.purgeStale();
        const { bytes, entries } = held.get(name) ?? { bytes: 0, entries: 0 };
        held.set(name, { cache: name, bytes: bytes + cache.calculatedSize, entries: entries + cache.size });
      }
      return [...held.values()];
    },
  };
}

interface Answer {
  readonly answer: Promise<unknown>;
  readonly bytes: number;
}

/**
 * Asks once for all who ask while an answer is on its way or kept.
 * @param isAnswer whether a failure is an answer too, and kept; by default none is
 */
export type Answers = <T>(
  key: string,
  ask: () => Promise<T>,
  isAnswer?: (error: unknown) => boolean,
) => Promise<T>;

/** A cache of answers to questions; each counts by what `bytesOf` says of it. */
export function openAnswers(caches: Caches, name: string, bounds: Omit<Bounds<never>, "sizeOf">): Answers {
  const kept = caches.open<Answer>(name, { ...bounds, sizeOf: ({ bytes }) => bytes });
  return <T>(key: string, ask: () => Promise<T>, isAnswer: (error: unknown) => boolean = () => false) => {
    const entry = kept.get(key);
    // Sound, since a key is used by one kind of question alone.
    if (entry !== undefined) return entry.answer as Promise<T>;
    const answer = ask();
    kept.set(key, { answer, bytes: PENDING_BYTES });
    const settled = (change: () => void) => kept.peek(key)?.answer === answer && change();
    answer.then(
      (value) => settled(() => kept.set(key, { answer, bytes: PENDING_BYTES + bytesOf(value) }, KEEPS_AGE)),
      (error) => isAnswer(error) || settled(() => kept.delete(key)),
    );
    return answer;
  };
}

const KEEPS_AGE = { noUpdateTTL: true };

/** Estimates the bytes that a JSON value takes in memory, one a character of text. It does not see what functions hold. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return 24 + value.length;
  if (typeof value === "bigint") return 24 + value.toString(16).length / 2;
  if (typeof value !== "object" || value === null) return 8;
  if (ArrayBuffer.isView(value)) return 200 + value.byteLength;
  const parts = value instanceof Map ? [...value].flat() : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + 16 + bytesOf(part), 64);
}

/** Copies bytes out of their slab: small buffers, and those that zlib returns, keep up to 64 KiB alive. */
export function ownBytes(content: Uint8Array | string): Buffer {
  const length = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  const copy = Buffer.allocUnsafeSlow(length);
  if (typeof content === "string") copy.write(content);
  else copy.set(content);
  return copy;
}
