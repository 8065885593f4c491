/**
 * `npm run coverage`: runs the Solidity tests of the guard with Hardhat's coverage, prints what share of each file of
 * contracts/ they ran, and fails when a line of one was not run.
 *
 * Not part of this run, because the instrumented build is another one than the audited:
 * - Invariants.t.sol: with the instrumented contracts it does not compile ("stack too deep"). Its properties are
 *   checked by `npm test`; here the tests beside it have to reach every line without it.
 * - the tests in TypeScript: the ceilings of gas.test.ts do not hold with the instrumentation's own gas, and the
 *   others check hashes, documents and real routers.
 *
 * Hardhat's lcov file has lines and no statements: a line on which a statement was not run counts as not run, so a
 * file at 100 % of lines is at 100 % of statements too. Nor has it branches; mutants stand in for them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const REPORT = join(ROOT, "coverage/lcov.info");
const NOT_INSTRUMENTABLE = ["test/contracts/Invariants.t.sol"];

export interface FileCoverage {
  readonly path: string;
  /** Lines with a statement on them. */
  readonly found: number;
  readonly missed: readonly number[];
}

/**
 * Reads an lcov trace file: `SF:<path>`, `DA:<line>,<count>` and `end_of_record` of each source file.
 * @throws Error for a record that is not closed, or for lines outside of one
 */
export function parseLcov(text: string): FileCoverage[] {
  const files = new Map<string, Map<number, number>>();
  let lines: Map<number, number> | null = null;
  for (const entry of text.split(/\r?\n/)) {
    const [, key, value] = /^(\w+):(.*)$/.exec(entry) ?? [];
    if (key === "SF") {
      if (lines !== null) throw new Error(`lcov: ${value} begins inside another file.`);
      lines = files.get(value!) ?? new Map();
      files.set(value!, lines);
    } else if (key === "DA") {
      const [, line, count] = /^(\d+),(\d+)(?:,.*)?$/.exec(value!) ?? [];
      if (lines === null || line === undefined) throw new Error(`lcov: unexpected "${entry}".`);
      lines.set(Number(line), (lines.get(Number(line)) ?? 0) + Number(count));
    } else if (entry === "end_of_record") lines = null;
  }
  if (lines !== null) throw new Error("lcov: the last file is not closed.");
  return [...files].map(([path, counts]) => ({
    path,
    found: counts.size,
    missed: [...counts]
      .filter(([, count]) => count === 0)
      .map(([line]) => line)
      .sort((a, b) => a - b),
  }));
}

/** A file of contracts/ without a function, such as an interface, has nothing to run. */
function hasCode(path: string): boolean {
  return /\)[^;{}]*\{/.test(readFileSync(join(ROOT, path), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""));
}

/** Prints the table. @returns whether every line of contracts/ was run */
function report(files: readonly FileCoverage[]): boolean {
  let complete = true;
  for (const path of globSync("contracts/**/*.sol", { cwd: ROOT }).sort()) {
    const file = files.find((candidate) => candidate.path === path);
    if (file === undefined || file.found === 0) {
      const empty = !hasCode(path);
      console.log(`${path.padEnd(32)} ${empty ? "nothing to run" : "NOT MEASURED"}`);
      complete &&= empty;
      continue;
    }
    const run = file.found - file.missed.length;
    // Rounded down, so that 100.00 means all of them.
    const share = (Math.floor((run / file.found) * 10_000) / 100).toFixed(2);
    console.log(`${path.padEnd(32)} ${share.padStart(6)} %  ${run} of ${file.found} lines`);
    const source = readFileSync(join(ROOT, path), "utf8").split("\n");
    for (const line of file.missed) console.log(`  not run: ${path}:${line}: ${source[line - 1]?.trim()}`);
    complete &&= file.missed.length === 0;
  }
  return complete;
}

/**
 * The project's Solidity and what compiles it, elsewhere: Hardhat writes instrumented artifacts over the real ones, and
 * the next start would deploy them.
 */
function copyOfProject(): string {
  const copy = mkdtempSync(join(tmpdir(), "assay-coverage-"));
  for (const path of ["contracts", "scripts/local/contracts", "test/contracts", "test/support/contracts"])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  for (const path of ["hardhat.config.ts", "package.json", "tsconfig.json"])
    cpSync(join(ROOT, path), join(copy, path));
  // Not by naming the others: tests that are named are built alone, and these deploy artifacts of everything.
  for (const path of NOT_INSTRUMENTABLE) rmSync(join(copy, path));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function main(): number {
  // Left by an earlier run, it would speak for this one.
  rmSync(REPORT, { force: true });
  const copy = copyOfProject();
  try {
    const { status } = spawnSync(
      join(ROOT, "node_modules/.bin/hardhat"),
      ["--coverage", "--no-typechain", "test", "solidity"],
      { cwd: copy, stdio: ["ignore", "inherit", "inherit"] },
    );
    if (status !== 0) {
      console.error("The tests failed, so that their coverage says nothing.");
      return 1;
    }
    cpSync(join(copy, "coverage/lcov.info"), REPORT);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  const complete = report(parseLcov(readFileSync(REPORT, "utf8")));
  console.log(complete ? "Every line of contracts/ was run." : "Lines of contracts/ were not run.");
  return complete ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
