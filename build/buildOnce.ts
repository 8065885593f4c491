/** What a build makes is made again only when something changed that it is made of, and by one process at a time. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { step } from "./steps.mjs";

export const ROOT = join(import.meta.dirname, "..");

export interface Build {
  /** Of its stamp in `cache/`. */
  readonly name: string;
  /** Builds of one lock are not made side by side; its name unless it says otherwise. */
  readonly lock?: string;
  /** Files that it is made of, as patterns from the root. */
  readonly sources: readonly string[];
  /** Of these not those: what it makes itself. */
  readonly without?: readonly string[];
  /** Results without which a stamp means nothing. */
  readonly results: readonly string[];
  /** @returns whether it worked */
  make(): Promise<boolean>;
}

/**
 * @param title what people read while it is made; without, they read nothing
 * @returns false: making it failed, and `make` has said why
 */
export async function buildOnce(build: Build, title?: string): Promise<boolean> {
  const wanted = fingerprint(build);
  if (isBuilt(build, wanted)) return true;
  return withLock(join(ROOT, `cache/${build.lock ?? build.name}.lock`), async () => {
    // Another start may have built it meanwhile.
    if (isBuilt(build, wanted)) return true;
    const worked = await (title === undefined ? build.make() : step(title, () => build.make()));
    if (worked) writeFileSync(stampOf(build), wanted);
    return worked;
  });
}

/** Whether nothing has changed since it was made. */
export function isBuilt(build: Build, wanted = fingerprint(build)): boolean {
  return (
    existsSync(stampOf(build)) &&
    readFileSync(stampOf(build), "utf8") === wanted &&
    build.results.every((path) => existsSync(join(ROOT, path)))
  );
}

/** For a build whose results another one has made with its own. */
export function markBuilt(build: Build): void {
  writeFileSync(stampOf(build), fingerprint(build));
}

const stampOf = ({ name }: Build) => join(ROOT, `cache/${name}.sha256`);

function fingerprint({ sources, without = [] }: Build): string {
  const hash = createHash("sha256");
  for (const path of globSync([...sources], { cwd: ROOT, exclude: [...without] }).sort())
    if (statSync(join(ROOT, path)).isFile())
      hash
        .update(path)
        .update("\0")
        .update(readFileSync(join(ROOT, path)))
        .update("\0");
  return hash.digest("hex");
}

/** Works while this process alone has the lock: a file with its id, so that one of a process that was killed is no obstacle. */
export async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(ROOT, "cache"), { recursive: true });
  while (!take(lock)) await sleep(200);
  const release = () => rmSync(lock, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isOwned(lock)) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isOwned(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0);
    return true;
  } catch (error) {
    // Another user's process, or a lock that its process just now writes or gives up.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
