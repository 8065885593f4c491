/** Waiting for SQLite without holding up anything else. */
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./databaseErrors.ts";

/** SQLite's own busy time-out would stop the whole process; between these looks it goes on. */
const LOOK_EVERY_MS = 10;

const BUSY = /^SQLITE_(BUSY|LOCKED)/;

/**
 * Tries until nobody else holds the lock, or for so long.
 * @throws what the last attempt threw
 */
export async function whileBusy<T>(waitMs: number, attempt: () => T): Promise<T> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    try {
      return attempt();
    } catch (error) {
      if (!BUSY.test(codeOf(error) ?? "") || waited >= waitMs) throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** One after the other, in the order in which they came. */
export class Turn {
  #last: Promise<void> = Promise.resolve();
  #wanted = 0;

  /** How many have the turn or wait for it. */
  get wanted(): number {
    return this.#wanted;
  }

  /** @returns what gives the turn to the next; called once */
  async take(): Promise<() => void> {
    const before = this.#last;
    let free = () => {};
    this.#last = new Promise((resolve) => {
      free = resolve;
    });
    this.#wanted++;
    await before;
    return () => {
      this.#wanted--;
      free();
    };
  }
}
