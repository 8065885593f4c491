/**
 * `npm run check`: the committed builds, types, import rule, lint, unused code and Solidity, one after the other;
 * `-- types code` only these.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { SOLIDITY } from "./lint/tracked.ts";

const ROOT = join(import.meta.dirname, "..");
const TRACKED = "node workshop/lint/tracked.ts";
const CONTRACTS = SOLIDITY.map((pathspec) => `'${pathspec}'`).join(" ");

/** By name, what a shell runs from the root. */
export const CHECKS: Readonly<Record<string, string>> = {
  builds: "node workshop/built.ts",
  types: "tsc --noEmit -p . && tsc --noEmit -p web && tsc --noEmit -p test/pages",
  layers: "node workshop/lint/layers.ts",
  code: `${TRACKED} | xargs -0 biome check --error-on-warnings --max-diagnostics=none --files-ignore-unknown=true --no-errors-on-unmatched`,
  unused: "knip",
  solidity: `${TRACKED} ${CONTRACTS} | xargs -0 solhint --noPoster --disc --max-warnings 0 && ${TRACKED} ${CONTRACTS} 'test/*.sol' | xargs -0 prettier --check`,
};

function main(names: readonly string[]): number {
  const unknown = names.find((name) => !Object.hasOwn(CHECKS, name));
  if (unknown !== undefined) {
    console.error(`There is no check ${unknown}; there are ${Object.keys(CHECKS).join(", ")}.`);
    return 2;
  }
  for (const name of names.length === 0 ? Object.keys(CHECKS) : names) {
    const { status } = spawnSync("sh", ["-c", CHECKS[name]!], { cwd: ROOT, stdio: "inherit" });
    if (status !== 0) return 1;
  }
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
