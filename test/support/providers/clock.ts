/** A clock that only moves when somebody sleeps, so that waiting takes no time. */
import type { Clock } from "../../../market/providers/clock.ts";

export interface FakeClock extends Clock {
  /** Milliseconds of every sleep, in order. */
  readonly sleeps: number[];
  advance(ms: number): void;
  /** Lets every deadline that is running pass. */
  expire(): void;
}

/** 2026-11-20T15:00:00Z, a Friday, regular trading in New York. */
export const FAKE_NOW = 1_795_186_800_000;

export function fakeClock(start = FAKE_NOW): FakeClock {
  let now = start;
  const sleeps: number[] = [];
  const running = new Set<AbortController>();
  return {
    sleeps,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms) => {
      sleeps.push(ms);
      now += ms;
    },
    deadline: () => {
      const controller = new AbortController();
      running.add(controller);
      return controller.signal;
    },
    expire: () => {
      for (const controller of running) controller.abort();
      running.clear();
    },
  };
}
