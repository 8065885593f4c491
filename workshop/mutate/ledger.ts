/** What a run of the mutants has found so far, kept on the disk, so that a run that was stopped can go on. */
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What became of a mutant that was tried. `stillborn`: does not compile. `unchanged`: compiles to the same code. */
export type Fate = "killed" | "survived" | "stillborn" | "unchanged";

interface Kept {
  readonly state: string;
  readonly fates: Record<string, Fate>;
}

export class Ledger {
  readonly #path: string;
  readonly #state: string;
  readonly #fates: Record<string, Fate>;

  private constructor(path: string, state: string, fates: Record<string, Fate>) {
    this.#path = path;
    this.#state = state;
    this.#fates = fates;
  }

  /**
   * @param state what the findings hold for: see `stateOf`
   * @param resume whether to take over what an earlier run in the same state has found; nothing of another state
   */
  static open(path: string, state: string, resume: boolean): Ledger {
    const kept = resume && existsSync(path) ? read(path) : undefined;
    return new Ledger(path, state, kept?.state === state ? { ...kept.fates } : {});
  }

  get size(): number {
    return Object.keys(this.#fates).length;
  }

  fateOf(id: string): Fate | undefined {
    return this.#fates[id];
  }

  record(id: string, fate: Fate): void {
    this.#fates[id] = fate;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, JSON.stringify({ state: this.#state, fates: this.#fates } satisfies Kept));
  }
}

/** A run that was killed while it wrote leaves half a file, which is as good as none. */
function read(path: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** A digest of every file under `root` that decides over the fate of a mutant. */
export function stateOf(root: string, patterns: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of globSync([...patterns], { cwd: root, withFileTypes: false }).sort()) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * How long the rest will take, if it goes on as it did.
 * @param elapsedMs since this run began to try mutants
 */
export function timeLeft(tried: number, left: number, elapsedMs: number): string {
  if (left === 0) return "done";
  if (tried === 0) return "time left unknown";
  const seconds = Math.round(((elapsedMs / tried) * left) / 1000);
  return seconds < 90 ? `${seconds} s left` : `${Math.round(seconds / 60)} min left`;
}
