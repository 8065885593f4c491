/**
 * Loaded into the service by `bench -- soak`. On request it tells what its memory consists of, after it collected
 * garbage if the request says so: then retained memory alone is left.
 */
import { getHeapSpaceStatistics } from "node:v8";

/** What the service is asked. */
export interface Question {
  readonly collecting: boolean;
}

/** Of this process, in bytes. */
export interface Parts {
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
  process.on("message", ({ collecting }: Question) => {
    if (collecting) {
      // What finalizers let go of is garbage the second time.
      collect();
      collect();
    }
    process.send?.(parts());
  });
  // Whether the service ends is not for this to say.
  process.channel?.unref();
}

function parts(): Parts {
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  const heap = { young: 0, old: 0, code: 0 };
  for (const { space_name: name, physical_space_size: bytes } of getHeapSpaceStatistics())
    heap[/^new_/.test(name) ? "young" : /code|trusted/.test(name) ? "code" : "old"] += bytes;
  return { heap, objects: heapUsed, external, buffers: arrayBuffers };
}
