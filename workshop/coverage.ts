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
import { copySolidity } from "./copySolidity.ts";

const ROOT = join(import.meta.dirname, "..");
const REPORT = join(ROOT, "coverage/lcov.info");
/** Of one test, bytes: some deploy the guard hundreds of times, and the instrumented one is several times as long. */
const MEMORY = 2 ** 29;

interface Contract {
  readonly path: string;
  readonly source: string;
}

interface Verdict {
  readonly path: string;
  /** How many lines have a statement on them. */
  readonly found: number;
  /** Numbers of those that were not run, ascending. */
  readonly missed: readonly number[];
  /** `empty`: nothing in it can run. `unmeasured`: it has code, and the trace file does not speak of it. */
  readonly outcome: "complete" | "missed" | "unmeasured" | "empty";
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

/**
 * One verdict a contract, in the order given. A contract that the trace file leaves out has to be without code.
 * @param lcov text of the trace file: `SF:<path>`, `DA:<line>,<count>` and `end_of_record` of each source file
 * @throws Error for one that breaks off
 */
export function judge(contracts: readonly Contract[], lcov: string): Verdict[] {
  const records = lcov.split(/^end_of_record$/m);
  if (records.pop()?.trim() !== "") throw new Error("lcov: the last file is not closed.");
  return contracts.map(({ path, source }) => {
    const record = records.find((text) => text.split("\n").includes(`SF:${path}`)) ?? "";
    const lines = [...record.matchAll(/^DA:(\d+),(\d+)/gm)];
    const missed = lines.filter(([, , count]) => count === "0").map(([, line]) => Number(line));
    missed.sort((a, b) => a - b);
    if (lines.length > 0)
      return { path, found: lines.length, missed, outcome: missed.length === 0 ? "complete" : "missed" };
    return { path, found: 0, missed, outcome: hasCode(source) ? "unmeasured" : "empty" };
  });
}

/** A function with a body; a file without one, such as an interface, has nothing to run. */
function hasCode(source: string): boolean {
  return /\)[^;{}]*\{/.test(source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""));
}

/** Whether every line that can run was run. Nothing to judge is no success. */
export function isComplete(verdicts: readonly Verdict[]): boolean {
  return (
    verdicts.some(({ outcome }) => outcome === "complete") &&
    verdicts.every(({ outcome }) => outcome === "complete" || outcome === "empty")
  );
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

if (import.meta.main)
  try {
    process.exitCode = main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
