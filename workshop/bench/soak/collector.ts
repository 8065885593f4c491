/**
 * Loaded into the service by `bench -- soak`. On request it collects garbage and reports what is left: retained
 * memory, without garbage that is not collected yet.
 */

export const COLLECT = "collect garbage";

/** What is alive, in bytes: objects of JavaScript, and what they hold outside of the heap. */
export interface Alive {
  readonly alive: number;
}

const collect = globalThis.gc;
if (collect !== undefined && process.send !== undefined) {
  process.on("message", (message) => {
    if (message !== COLLECT) return;
    // What finalizers let go of is garbage the second time.
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.({ alive: heapUsed + external } satisfies Alive);
  });
  // Whether the service ends is not for this to say.
  process.channel?.unref();
}
