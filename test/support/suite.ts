/** What a suite works on, made and ended in one place. */
import type { Suite } from "mocha";

const endings = new WeakMap<Suite, (() => Promise<unknown>)[]>();

/**
 * Made before the suite's first test, and ended by its `stop` or `close` after everything else of the suite: what was
 * made last ends first.
 */
export function ofSuite<T extends { stop(): unknown } | { close(): unknown }>(make: () => Promise<T>): T {
  let made: T | undefined;
  before(async function () {
    const ends = endingsOf(this.test!.parent!);
    const thing = await make();
    ends.push(async () => ("stop" in thing ? thing.stop() : thing.close()));
    made = thing;
  });
  const thing = (): T => {
    if (made === undefined) throw new Error("what the suite works on is not there yet");
    return made;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(thing(), name),
    set: (_, name, value) => Reflect.set(thing(), name, value),
  });
}

/** What ends with a suite, after its own hooks and the last first. To be called while hooks run. */
export function endingsOf(suite: Suite): (() => Promise<unknown>)[] {
  const known = endings.get(suite);
  if (known !== undefined) return known;
  const ends: (() => Promise<unknown>)[] = [];
  endings.set(suite, ends);
  // Added while hooks run, it is the last.
  suite.afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return ends;
}
