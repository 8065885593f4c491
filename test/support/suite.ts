/** What a suite works on, made and ended in one place. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context, Suite } from "mocha";

type Ending = () => Promise<unknown>;
type Ended = { stop(): unknown } | { close(): unknown } | { remove(): unknown } | { destroy(): unknown };

const endings = { afterAll: new WeakMap<Suite, Ending[]>(), afterEach: new WeakMap<Suite, Ending[]>() };

/**
 * Made before the suite's first test, and ended by its `stop`, `close`, `remove` or `destroy` after everything else of
 * the suite: what was made last ends first.
 */
export function ofSuite<T extends Ended>(make: (test: Context) => Promise<T>): T {
  return madeIn("afterAll", before, make);
}

/** The same for each test: made before it, and ended after everything else of it. */
export function ofTest<T extends Ended>(make: (test: Context) => Promise<T>): T {
  return madeIn("afterEach", beforeEach, make);
}

/** Made before the suite's first test where nothing has to end it. */
export function readyFor<T extends object>(make: (test: Context) => Promise<T>): T {
  let made: T | undefined;
  before(async function () {
    made = await make(this);
  });
  return standIn(() => made);
}

function madeIn<T extends Ended>(
  when: keyof typeof endings,
  hook: typeof before,
  make: (test: Context) => Promise<T>,
): T {
  let made: T | undefined;
  hook(async function () {
    const ends = endingsOf(this.test!.parent!, when);
    const thing = await make(this);
    ends.push(async () => end(thing));
    made = thing;
  });
  return standIn(() => made);
}

function end(thing: Ended): unknown {
  if ("stop" in thing) return thing.stop();
  if ("close" in thing) return thing.close();
  return "remove" in thing ? thing.remove() : thing.destroy();
}

/** Has the members of what is made later; methods run on the thing itself, and it is never the thing's identity. */
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

/** Skips what a hook is for, with a line that says what is missing; where CI is set it fails. */
export function lacking(test: Context, line: string): never {
  if (process.env.CI) throw new Error(line);
  console.log(`    ${line}`);
  return test.skip();
}

/** The path of a folder of the suite's own: there before its first test, and gone after everything else of it. */
export const testFolder = (name: string): string => folderIn("afterAll", before, name);

/** The same for each test: there before it, and gone after everything else of it. */
export const folderOfTest = (name: string): string => folderIn("afterEach", beforeEach, name);

function folderIn(when: keyof typeof endings, hook: typeof before, name: string): string {
  const path = join(tmpdir(), `assay-${name}-${randomUUID()}`);
  hook(function () {
    endingsOf(this.test!.parent!, when).push(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
    mkdirSync(path, { mode: 0o700 });
  });
  return path;
}

/** What ends with a suite or each of its tests, after its own hooks and the last first. To be called while hooks run. */
export function endingsOf(suite: Suite, when: keyof typeof endings = "afterAll"): Ending[] {
  const known = endings[when].get(suite);
  if (known !== undefined) return known;
  const ends: Ending[] = [];
  endings[when].set(suite, ends);
  // Added while hooks run, it is the last.
  suite[when](async () => {
    for (const each of ends.splice(0).reverse()) await each();
  });
  return ends;
}
