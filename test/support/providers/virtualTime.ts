/**
 * Time that passes as soon as nobody works any more: minutes of waiting are moments, and what waits wakes up in the order
 * of its time. In the place of the machine's, because libraries read the machine's.
 */
import { setImmediate as turn } from "node:timers/promises";

export interface VirtualTime {
  /** Unix milliseconds. */
  now(): number;
  /** Lets so much time pass at once. */
  advance(ms: number): void;
  /** Asks over the network; time stands still meanwhile, and an answer takes `latencyMs`. */
  readonly fetch: typeof fetch;
  /** The same of whom nobody needs a network to ask. */
  fetching(ask: typeof fetch): typeof fetch;
  /** Work that takes no time by this clock, such as a database's. */
  during<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

/** 2026-11-20T15:00:00Z, a Friday, regular trading in New York. */
export const FAKE_NOW = 1_795_186_800_000;
/** So many turns of the event loop without a request or other work under way are rest. */
const QUIET_TURNS = 6;

interface Timer {
  readonly at: number;
  readonly fire: () => void;
  /** Whether somebody waits for it: time passes for no other. */
  isRef: boolean;
}

export function virtualTime({ start = FAKE_NOW, latencyMs = 0 } = {}): VirtualTime {
  const machine = { setTimeout, clearTimeout, dateNow: Date.now, performanceNow: performance.now };
  let now = start;
  let working = 0;
  let isPassing = false;
  let isEnded = false;
  const timers: Timer[] = [];

  const add = (fire: () => void, ms: number): Timer => {
    const timer = { at: now + Math.max(0, ms), fire, isRef: true };
    const later = timers.findIndex(({ at }) => at > timer.at);
    timers.splice(later === -1 ? timers.length : later, 0, timer);
    if (!isPassing) void pass();
    return timer;
  };
  const fireNext = (): void => {
    const timer = timers.shift();
    now = Math.max(now, timer?.at ?? now);
    timer?.fire();
  };

  async function pass(): Promise<void> {
    isPassing = true;
    while (!isEnded && timers.some(({ isRef }) => isRef)) {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet = working > 0 ? 0 : quiet + 1) await turn();
      if (timers.some(({ isRef }) => isRef)) fireNext();
    }
    isPassing = false;
  }

  const handleOf = (timer: Timer) => {
    const handle = {
      timer,
      ref: () => {
        timer.isRef = true;
        return handle;
      },
      unref: () => {
        timer.isRef = false;
        return handle;
      },
      hasRef: () => timer.isRef,
      refresh: () => handle,
    };
    return handle;
  };
  Object.assign(globalThis, {
    setTimeout: (work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      handleOf(add(() => work(...args), ms)),
    clearTimeout: (handle: { timer?: Timer } | undefined) => {
      const index = timers.indexOf(handle?.timer as Timer);
      if (index >= 0) timers.splice(index, 1);
      else if (handle && !handle.timer) machine.clearTimeout(handle as NodeJS.Timeout);
    },
  });
  Date.now = () => now;
  performance.now = () => now - start;

  async function during<T>(work: Promise<T>): Promise<T> {
    working++;
    try {
      return await work;
    } finally {
      working--;
    }
  }
  const fetching = (ask: typeof fetch) => {
    /** The body too: it must not take its time while the clock runs on. */
    const answered = async (input: URL, init?: RequestInit) => {
      const response = await ask(input, init);
      const body = await response.arrayBuffer();
      return new Response(body, { status: response.status, headers: response.headers });
    };
    return (async (input: URL, init?: RequestInit) => {
      if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
      return during(answered(input, init));
    }) as typeof fetch;
  };

  return {
    now: () => now,
    advance(ms) {
      const until = now + ms;
      while ((timers[0]?.at ?? Number.POSITIVE_INFINITY) <= until) fireNext();
      now = until;
    },
    fetch: fetching(fetch),
    fetching,
    during,
    end() {
      isEnded = true;
      Object.assign(globalThis, { setTimeout: machine.setTimeout, clearTimeout: machine.clearTimeout });
      Date.now = machine.dateNow;
      performance.now = machine.performanceNow;
    },
  };
}

/** Of its own for each test of the suite. */
export function ofEachTest(options: Parameters<typeof virtualTime>[0] = {}): VirtualTime {
  const time = {} as VirtualTime;
  beforeEach(() => void Object.assign(time, virtualTime(options)));
  afterEach(() => time.end());
  return time;
}
