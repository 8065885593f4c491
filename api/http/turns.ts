/** Turns of heavy work: one piece in each round of the event loop, so that other requests are served in between. */
import { setImmediate } from "node:timers/promises";

let last: Promise<unknown> = Promise.resolve();

/** Wait for it before each piece of a few milliseconds. Whoever asked first goes first. */
export function nextTurn(): Promise<unknown> {
  // All that wait for one round run in it one after another: so each waits for a round of its own.
  last = last.then(() => setImmediate());
  return last;
}
