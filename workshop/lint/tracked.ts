/**
 * The project's files: those that Git tracks and people write. What else lies in a working copy, such as a trade that
 * somebody saved, is its user's; what is committed compiled and bundled is nobody's text. `node workshop/lint/tracked.ts [pathspec …]` prints those of the working directory for `xargs -0`.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const BUILT = ["contracts/compiled", "web/dist"];

/** The product's contracts, as pathspecs. */
export const SOLIDITY = ["contracts/*.sol", "chain/contracts/*.sol", "devnet/contracts/*.sol"];

/**
 * @param root a folder of the working copy
 * @param pathspecs as Git has them, such as `test/*.sol`; none: every file
 * @returns paths from that folder, without those that were deleted
 */
export function trackedFiles(root: string, ...pathspecs: readonly string[]): string[] {
  const args = ["ls-files", "-z", "--", ...pathspecs, ...BUILT.map((folder) => `:!${folder}`)];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 25 });
  return [...new Set(listed.split("\0"))].filter((path) => path !== "" && existsSync(join(root, path)));
}

if (import.meta.main) process.stdout.write(trackedFiles(process.cwd(), ...process.argv.slice(2)).join("\0"));
