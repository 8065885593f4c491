/** One round of work for all who ask for one meanwhile. */

/**
 * @param round may throw: then everybody's who waited for it
 * @returns what resolves at the end of a round that began after it was called
 */
export function sharedRounds(round: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const start = (): Promise<void> => {
    const begun = round().finally(() => {
      if (running === begun) running = null;
    });
    running = begun;
    return begun;
  };
  return () => {
    if (running === null) return start();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        // Somebody may have begun one in between: it is late enough for all who waited.
        return running ?? start();
      });
    return next;
  };
}
