/** What a build makes is made again only when something changed that it is made of, and by one process at a time. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = join(import.meta.dirname, "..");

/** A build takes some ten seconds; a lock that is much older was left by one that was killed. */
const STALE_LOCK_MS = 120_000;

export interface Build {
  /** Of its stamp and its lock in `cache/`. */
  readonly name: string;
  /** Files that it is made of, as patterns from the root. */
  readonly sources: readonly string[];
  /** Of these not those: what it makes itself. */
  readonly without?: readonly string[];
  /** Results without which a stamp means nothing. */
  readonly results: readonly string[];
  /** @returns whether it worked */
  make(): Promise<boolean> | boolean;
}

/** @returns false: making it failed, and `make` has said why */
export async function buildOnce({ name, sources, without = [], results, make }: Build): Promise<boolean> {
  const stamp = join(ROOT, `cache/${name}.sha256`);
  const wanted = fingerprint(sources, without);
  const isBuilt = () =>
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === wanted &&
    results.every((path) => existsSync(join(ROOT, path)));
  if (isBuilt()) return true;
  return withLock(join(ROOT, `cache/${name}.lock`), async () => {
    // Another start may have built it meanwhile.
    if (isBuilt()) return true;
    const worked = await make();
    if (worked) writeFileSync(stamp, wanted);
    return worked;
  });
}

function fingerprint(sources: readonly string[], without: readonly string[]): string {
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

async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(ROOT, "cache"), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) > STALE_LOCK_MS)
        rmSync(lock, { recursive: true, force: true });
      await sleep(200);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
