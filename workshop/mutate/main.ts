/**
 * `npm run mutate`: plants each defect of defects.json in the contracts, one at a time, and runs the suite of the test
 * that has to fail for it. `--only <text>` (may be repeated): defects whose file, code or test contains the text.
 *
 * A defect takes some seconds. Exit code 0 when each was noticed by its test, 1 otherwise.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { solidityTests } from "../../build/solidity.ts";
import { copySolidity } from "../copySolidity.ts";
import { type Bytecodes, bytecodesWith, sourceOf, unchangedBytecodes } from "./compiler.ts";
import DEFECTS from "./defects.json" with { type: "json" };
import { openSuites, type RunSuite } from "./suites.ts";

type Defect = (typeof DEFECTS)[number];

const ROOT = join(import.meta.dirname, "../..");
/** Fuzz less for each of many defects, and each defect alike. */
const TESTS = {
  ...solidityTests,
  fuzz: { runs: 48, seed: "0x01" },
  invariant: { ...solidityTests.invariant, runs: 8, depth: 60 },
};

/** @returns the folder of a copy in which contracts and tests are built, which goes when this process ends */
function buildCopy(): string {
  const folder = copySolidity("assay-mutate", TESTS);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const hardhat = join(ROOT, "node_modules/.bin/hardhat");
  const { status, stdout, stderr } = spawnSync(hardhat, ["build"], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`The contracts and their tests do not compile:\n${stdout}${stderr}`);
  return folder;
}

const suiteOf = ({ killedBy }: Defect): string => killedBy.split(".")[0]!;

/** @throws Error where a suite fails on the contracts as they are: then it says nothing about a defect */
async function expectToPass(
  runSuite: RunSuite,
  names: ReadonlySet<string>,
  unchanged: Bytecodes,
): Promise<void> {
  for (const name of names) {
    const [failed] = await runSuite(name, unchanged);
    if (failed !== undefined) throw new Error(`${failed} fails before a defect is planted.`);
  }
}

async function outcomeOf(defect: Defect, runSuite: RunSuite, unchanged: Bytecodes): Promise<string> {
  const source = sourceOf(defect.file).replace(defect.find, () => defect.replace);
  const changed = bytecodesWith(defect.file, source);
  if (changed === undefined) return "does not compile";
  const failures = await runSuite(suiteOf(defect), { ...unchanged, ...changed });
  return failures.includes(defect.killedBy) ? "killed" : "survived";
}

const { values: options } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const chosen = DEFECTS.filter(
  ({ file, find, killedBy }) =>
    options.only?.some((text) => [file, find, killedBy].some((part) => part.includes(text))) ?? true,
);
console.log(
  `${chosen.length} defects. Compiling the tests in a copy and running them on the contracts as they are…`,
);
const runSuite = await openSuites(buildCopy(), TESTS);
const unchanged = unchangedBytecodes();
await expectToPass(runSuite, new Set(chosen.map(suiteOf)), unchanged);

let killed = 0;
for (const [index, defect] of chosen.entries()) {
  const outcome = await outcomeOf(defect, runSuite, unchanged);
  if (outcome === "killed") killed++;
  const [line = ""] = defect.find.trim().split("\n");
  console.log(`${String(index + 1).padStart(3)}  ${outcome.padEnd(9)}  ${line}  (${defect.killedBy})`);
}
console.log(`\n${killed} of ${chosen.length} defects were noticed by the test that is named for them.`);
process.exit(killed === chosen.length && killed > 0 ? 0 : 1);
