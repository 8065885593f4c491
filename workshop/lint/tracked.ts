/**
 * The project's files: those that Git tracks. What else lies in a working copy, such as a trade that somebody saved, is its
 * user's. `node workshop/lint/tracked.ts [pathspec …]` prints those of the working directory for `xargs -0`.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * @param root a folder of the working copy
 * @param pathspecs as Git has them, such as `test/*.sol`; none: every file
 * @returns paths from that folder, without those that were deleted
 */
export function trackedFiles(root: string, ...pathspecs: readonly string[]): string[] {
  const args = ["ls-files", "-z", "--", ...pathspecs];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 25 });
  return [...new Set(listed.split("\0"))].filter((path) => path !== "" && existsSync(join(root, path)));
}

if (import.meta.main) process.stdout.write(trackedFiles(process.cwd(), ...process.argv.slice(2)).join("\0"));
