/** `npm run format`: corrects the format of the files that Git tracks, and what else Biome can correct. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { SOLIDITY, trackedFiles } from "./lint/tracked.ts";

const ROOT = join(import.meta.dirname, "..");

function run(program: string, args: readonly string[]): boolean {
  const path = join(ROOT, "node_modules/.bin", program);
  return spawnSync(path, args, { cwd: ROOT, stdio: "inherit" }).status === 0;
}

const lenient = ["--files-ignore-unknown=true", "--no-errors-on-unmatched"];
const formatted = [
  run("biome", ["check", "--write", ...lenient, ...trackedFiles(ROOT)]),
  run("prettier", ["--write", ...trackedFiles(ROOT, ...SOLIDITY, "test/*.sol")]),
];
process.exitCode = formatted.every(Boolean) ? 0 : 1;
