/** Waiting for SQLite without holding up anything else. */
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./databaseErrors.ts";

/** SQLite's own busy timeout would stop the whole process; polling does not. */
const LOOK_EVERY_MS = 10;

const BUSY = /^SQLITE_(BUSY|LOCKED)/;

/** How long somebody waits in all: for his turn, and then for the lock. `end()` when he waits no more. */
export class Patience {
  #isOver = false;
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => {
      this.#isOver = true;
    }, ms);
  }

  /**
   * Tries until nobody else holds the lock, or as long as the patience lasts; once at least, so that a long queue alone is
   * no reason to fail.
   * @throws what the last attempt threw
   */
  async whileBusy<T>(attempt: () => T): Promise<T> {
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!BUSY.test(codeOf(error) ?? "") || this.#isOver) throw error;
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
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
