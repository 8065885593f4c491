/** How a process of ours ends: at the first signal it finishes what runs, at the second it is gone. */
import { setTimeout as sleep } from "node:timers/promises";
import { endLog } from "./metrics/logDestination.ts";

/** Beyond it nothing is waited for. */
const LONGEST_END_MS = 20_000;
/** For the last lines of the log. */
const FLUSH_MS = 500;

/**
 * @param stop what is to be finished first
 * @param drainMs how much of that it still serves normally, by the settings
 */
export function endOnSignals(stop: () => Promise<void>, drainMs = 0): void {
  let ending = false;
  const end = () => {
    // A second signal ends it at once.
    if (ending) process.exit(1);
    ending = true;
    void endWith(stop, drainMs + LONGEST_END_MS);
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  // A parent that is gone cannot stop us any more.
  process.on("disconnect", end);
}

async function endWith(stop: () => Promise<void>, longestMs: number): Promise<void> {
  const ended = stop().then(
    () => 0,
    () => 1,
  );
  const code = await Promise.race([ended, sleep(longestMs, 1)]);
  await endLog(FLUSH_MS);
  process.exit(code);
}
