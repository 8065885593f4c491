/** Time and randomness as arguments, so that a test needs no real time; and those of the real world. */
import type { UnixMs } from "../../attestor/values/time.ts";

export interface Clock {
  now(): UnixMs;
  sleep(ms: number): Promise<void>;
  /** Aborts after so many milliseconds. */
  deadline(ms: number): AbortSignal;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  deadline: (ms) => AbortSignal.timeout(ms),
};

/** From 0 up to 1. */
export const systemRandom = (): number => Math.random();
