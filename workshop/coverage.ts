/**
 * `npm run coverage`: runs the Solidity tests of the guard with Hardhat's coverage. Prints the share of each file of
 * contracts/ that they ran, and fails when a line was not run.
 *
 * The tests in TypeScript are not part of this run, because the instrumented build is another one than the audited: the
 * ceilings of gas.test.ts do not hold with the instrumentation's own gas, and the others check hashes, documents and
 * real routers.
 *
 * Hardhat's lcov file has lines and no statements. A line on which a statement was not run counts as not run, so a
 * file at 100 % of lines is at 100 % of statements too. Nor has it branches; planted defects replace them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { solidityTests } from "../build/solidity.ts";
import { isComplete, judge, type Verdict } from "./lcov.ts";
import { copySolidity } from "./solidity/copy.ts";

const ROOT = join(import.meta.dirname, "..");
const REPORT = join(ROOT, "coverage/lcov.info");
/** Of one test, bytes: some deploy the guard hundreds of times, and the instrumented one is several times as long. */
const MEMORY = 2 ** 29;

/** @returns whether the tests passed; only then does their coverage say anything */
function measure(): boolean {
  // Left by an earlier run, it would speak for this one.
  rmSync(REPORT, { force: true });
  // In a copy: Hardhat writes instrumented artifacts over the real ones, and the next start would deploy them.
  const copy = copySolidity("assay-coverage", { ...solidityTests, memoryLimit: MEMORY });
  try {
    const { status } = spawnSync(
      join(ROOT, "node_modules/.bin/hardhat"),
      ["--coverage", "--no-typechain", "test", "solidity"],
      { cwd: copy, stdio: ["ignore", "inherit", "inherit"] },
    );
    const written = join(copy, "coverage/lcov.info");
    if (existsSync(written)) cpSync(written, REPORT);
    return status === 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function print({ path, found, missed, outcome }: Verdict, source: string): void {
  if (found === 0) {
    console.log(`${path.padEnd(32)} ${outcome === "empty" ? "nothing to run" : "NOT MEASURED"}`);
    return;
  }
  const run = found - missed.length;
  // Rounded down, so that 100.00 means all of them.
  const share = (Math.floor((run / found) * 10_000) / 100).toFixed(2);
  console.log(`${path.padEnd(32)} ${share.padStart(6)} %  ${run} of ${found} lines`);
  const lines = source.split("\n");
  for (const line of missed) console.log(`  not run: ${path}:${line}: ${lines[line - 1]?.trim()}`);
}

function main(): number {
  if (!measure()) {
    console.error("The tests failed, so that their coverage says nothing.");
    return 1;
  }
  const contracts = globSync("contracts/**/*.sol", { cwd: ROOT })
    .sort()
    .map((path) => ({ path, source: readFileSync(join(ROOT, path), "utf8") }));
  const verdicts = judge(contracts, readFileSync(REPORT, "utf8"));
  for (const [index, verdict] of verdicts.entries()) print(verdict, contracts[index]!.source);
  const complete = isComplete(verdicts);
  console.log(complete ? "Every line of contracts/ was run." : "Lines of contracts/ were not run.");
  return complete ? 0 : 1;
}

try {
  process.exitCode = main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
