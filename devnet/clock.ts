/** Time as an argument. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Whole Unix seconds of a clock. */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /** Moves forward (or, with a negative number, back). */
  advance(milliseconds: number): void;
  set(milliseconds: number): void;
}

/** @param start milliseconds since 1970 */
export function manualClock(start: number): ManualClock {
  let time = start;
  return {
    now: () => time,
    advance(milliseconds) {
      time += milliseconds;
    },
    set(milliseconds) {
      time = milliseconds;
    },
  };
}
