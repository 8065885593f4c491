/**
 * A clock that moves on as soon as nobody works any more: minutes of waiting pass in moments, and what waits wakes up
 * in the order of its time.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../../market/providers/clock.ts";

export interface VirtualClock extends Clock {
  /** Asks over the network; an answer takes so long by this clock. */
  readonly fetch: typeof fetch;
  /** Work that takes no time by this clock, such as a database's: time stands still until it is done. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass until the work is done. */
  until<T>(work: Promise<T>): Promise<T>;
}

/** So many turns of the event loop without a request or other work under way are rest. */
const QUIET_TURNS = 4;

/** @param start unix milliseconds @param latencyMs of every request */
export function virtualClock(start: number, latencyMs: number): VirtualClock {
  let now = start;
  let asking = 0;
  const sleeping: { readonly at: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number) =>
    new Promise<void>((wake) => {
      const at = now + Math.max(0, ms);
      const later = sleeping.findIndex((other) => other.at > at);
      sleeping.splice(later === -1 ? sleeping.length : later, 0, { at, wake });
    });

  async function during<T>(work: Promise<T>): Promise<T> {
    asking++;
    try {
      return await work;
    } finally {
      asking--;
    }
  }
  const asked = async (input: URL, init?: RequestInit) => {
    const response = await fetch(input, init);
    const { status, headers } = response;
    return new Response(await response.arrayBuffer(), { status, headers });
  };

  return {
    now: () => now,
    sleep,
    deadline: () => new AbortController().signal,
    fetch: (async (input: URL, init?: RequestInit) => {
      await sleep(latencyMs);
      return during(asked(input, init));
    }) as typeof fetch,
    during,
    async until(work) {
      let done = false;
      const ended = work.finally(() => {
        done = true;
      });
      ended.catch(() => {});
      while (!done) {
        for (let quiet = 0; quiet < QUIET_TURNS && !done; quiet = asking > 0 ? 0 : quiet + 1) await turn();
        const next = done ? undefined : sleeping.shift();
        if (!next) continue;
        now = Math.max(now, next.at);
        next.wake();
      }
      return ended;
    },
  };
}
