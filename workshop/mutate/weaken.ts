/**
 * Writes the weakened guard that the attack tests show their teeth on: the real sources, with a switch before each
 * protection, by a patch beside the copies. They are made with each build and not kept, so that they cannot be copies of
 * another guard. A change of the guard that a patch cannot follow fails the build: then edit the copy and write its patch,
 * `diff -u --label a/TradeGuard.sol --label b/TradeGuard.sol contracts/TradeGuard.sol <copy> > <patch>`.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Build, ROOT } from "../../build/buildOnce.ts";

const FOLDER = "test/support/contracts/weakened";

/** What each copy is a copy of. */
const COPIES: Readonly<Record<string, string>> = {
  WeakenedGuard: "TradeGuard",
  WeakenedExecutor: "RouteExecutor",
};

const pathOf = (copy: string) => `${FOLDER}/${copy}.sol`;

/** @returns the copies by their paths. @throws Error where a patch does not fit its source: then it has to follow it */
export function weakenedSources(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "assay-weakened-"));
  try {
    return Object.fromEntries(
      Object.entries(COPIES).map(([copy, original]) => {
        const file = join(folder, `${original}.sol`);
        copyFileSync(join(ROOT, `contracts/${original}.sol`), file);
        const patch = join(ROOT, FOLDER, `${copy}.patch`);
        const { status, stderr } = spawnSync("git", ["apply", patch], { cwd: folder, encoding: "utf8" });
        if (status !== 0) throw new Error(`${FOLDER}/${copy}.patch does not fit any more:\n${stderr}`);
        return [pathOf(copy), readFileSync(file, "utf8")];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Made before the contracts are compiled. */
export const WEAKENED: Build = {
  name: "weakened",
  sources: ["contracts/*.sol", `${FOLDER}/*.patch`, "workshop/mutate/weaken.ts"],
  results: Object.keys(COPIES).map(pathOf),
  async make() {
    try {
      for (const [path, source] of Object.entries(weakenedSources())) writeFileSync(join(ROOT, path), source);
      return true;
    } catch (error) {
      console.error(
        `The weakened guard of the attack tests: ${error instanceof Error ? error.message : error}`,
      );
      return false;
    }
  },
};
