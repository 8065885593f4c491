/** What a suite works on, made and ended in one place. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Suite } from "mocha";

const endings = new WeakMap<Suite, (() => Promise<unknown>)[]>();

/**
 * Made before the suite's first test, and ended by its `stop` or `close` after everything else of the suite: what was
 * made last ends first.
 */
export function ofSuite<T extends Ending>(make: () => Promise<T>): T {
  let made: T | undefined;
  before(async function () {
    const ends = endingsOf(this.test!.parent!);
    const thing = await make();
    ends.push(async () => end(thing));
    made = thing;
  });
  return standIn(() => made);
}

/** The same for each test: made before it, and ended after it. */
export function ofTest<T extends Ending>(make: () => Promise<T>): T {
  let made: T | undefined;
  beforeEach(async () => {
    made = await make();
  });
  afterEach(async () => {
    const thing = made;
    made = undefined;
    if (thing !== undefined) await end(thing);
  });
  return standIn(() => made);
}

type Ending = { stop(): unknown } | { close(): unknown } | { destroy(): unknown };

const end = (thing: Ending): unknown =>
  "stop" in thing ? thing.stop() : "close" in thing ? thing.close() : thing.destroy();

/** Has the members of what is made later; methods go by the thing itself, and nothing else knows it by this. */
export function standIn<T extends object>(made: () => T | undefined): T {
  const thing = (): T => {
    const found = made();
    if (found === undefined) throw new Error("what the suite works on is not there yet");
    return found;
  };
  return new Proxy({} as T, {
    get: (_, name) => {
      const member = Reflect.get(thing(), name);
      return typeof member === "function" ? member.bind(thing()) : member;
    },
    set: (_, name, value) => Reflect.set(thing(), name, value),
  });
}

/** The path of a folder of the suite's own: there before its first test, and gone after everything else of it. */
export function testFolder(name: string): string {
  const path = join(tmpdir(), `assay-${name}-${randomUUID()}`);
  before(function () {
    endingsOf(this.test!.parent!).push(() => rm(path, { recursive: true, force: true }));
    mkdirSync(path, { mode: 0o700 });
  });
  return path;
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
