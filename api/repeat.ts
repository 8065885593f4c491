/** A round of work that is done again and again, never twice at once. */
import { AsyncLocalStorage } from "node:async_hooks";

export type Repeated = ReturnType<typeof repeat>;

/**
 * Starts at once.
 * @param round must not throw
 * @param pauseMs from a round's end to the next one
 */
export function repeat(round: () => Promise<void>, pauseMs: number) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  const schedule = (delay: number): void => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(start, delay);
  };
  // Later rounds are not part of the requester's trace, nor do their log lines carry the requester's name.
  const start = AsyncLocalStorage.bind((): void => {
    clearTimeout(timer);
    running = round().finally(() => {
      running = null;
      schedule(again ? 0 : pauseMs);
      again = false;
    });
  });
  schedule(0);
  return {
    /** Does the next round now, or right after the one that runs. */
    soon() {
      if (running === null) schedule(0);
      else again = true;
    },
    /** Does a round, after the one that runs, and resolves at its end. */
    async now() {
      while (running !== null) await running;
      start();
      await running;
    },
    /** Ends after the running round. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
