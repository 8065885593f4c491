/** Waiting for what comes by itself. */
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";

/**
 * Asks until what it gets holds; without `holds`, until it is something.
 * @returns what holds
 * @throws Error after a minute, which says what never came, and what was there last
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  holds: (found: T) => unknown = Boolean,
): Promise<T> {
  for (const end = Date.now() + 60_000; ; await sleep(25)) {
    const found = await ask();
    if (holds(found)) return found;
    if (Date.now() > end) throw new Error(`never came: ${what}; last: ${inspect(found)}`);
  }
}
