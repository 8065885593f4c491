/** Answers that nobody waits for longer than they are worth. */
import { setTimeout as sleep } from "node:timers/promises";

/**
 * What a promise gives, or what stands in for it when that takes too long. The promise goes on, and is
 * listened to, so that a failure that comes later ends nothing.
 */
export async function withinTime<T, U>(promise: Promise<T>, ms: number, instead: () => U): Promise<T | U> {
  const end = new AbortController();
  const late = sleep(ms, undefined, { signal: end.signal, ref: false }).then(instead);
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    end.abort();
  }
}
