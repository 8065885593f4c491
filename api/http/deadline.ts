/** Answers that nobody waits for longer than they are worth. */
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The promise's value, or a substitute when that takes too long. The promise continues and stays handled, so that a later
 * rejection does not end the process.
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
