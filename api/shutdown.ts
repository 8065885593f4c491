/** How a process of ours ends: at the first signal it finishes what runs, at the second it is gone. */

/** @param stop what is to be finished first */
export function endOnSignals(stop: () => Promise<void>): void {
  let ending = false;
  const end = () => {
    // Who asks twice does not want to wait.
    if (ending) process.exit(1);
    ending = true;
    void stop().then(() => process.exit(0));
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  // A parent that is gone cannot stop us any more.
  process.on("disconnect", end);
}
