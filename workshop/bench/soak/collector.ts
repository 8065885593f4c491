/**
 * Loaded into the service by `bench -- soak`. On request it tells what its memory consists of, after it collected
 * garbage if the request says so: then retained memory alone is left. Or it tells what its time consists of.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";

export type Question = { readonly collecting: boolean } | { readonly profilingMs: number };

/** Of this process, in bytes. */
export interface Contents {
  /** Of the heap, as the system has given it: objects that are young, others, and code with what belongs to it. */
  readonly heap: { readonly young: number; readonly old: number; readonly code: number };
  /** Objects of JavaScript, garbage included. */
  readonly objects: number;
  /** What objects hold outside of the heap; buffers are a part of it. */
  readonly external: number;
  readonly buffers: number;
}

const collect = globalThis.gc;
if (collect !== undefined && process.send !== undefined) {
  process.on("message", async (question: Question) => {
    if ("profilingMs" in question) {
      // Loaded when it is asked for: what measures must not count as what is measured.
      const { partsOf } = await import("../parts/profile.ts");
      process.send?.(await partsOf(() => sleep(question.profilingMs)));
      return;
    }
    if (question.collecting) {
      // What finalizers let go of is garbage the second time.
      collect();
      collect();
    }
    process.send?.(contents());
  });
  // Whether the service ends is not for this to say.
  process.channel?.unref();
}

function contents(): Contents {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  const heap = { young: 0, old: 0, code: 0 };
  for (const { space_name: name, physical_space_size: bytes } of getHeapSpaceStatistics())
    heap[/^new_/.test(name) ? "young" : /code|trusted/.test(name) ? "code" : "old"] += bytes;
  return { heap, objects: heapUsed, external, buffers: arrayBuffers };
}
