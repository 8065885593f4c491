/**
 * `npm test`: the tests of every room, and one line at the end with how many passed and failed. Mocha takes file after
 * file with several processes, and beside them Hardhat compiles and runs the Solidity tests in the time that these leave.
 * `npm test -- api e2e` runs those rooms alone.
 *
 * Files named `*.slow.test.ts` run only with `--all`, which sets ASSAY_TEST_ALL=1: by it, tests that try many inputs
 * try more.
 *
 * Where CI is set, files in which something failed run once more by themselves. What passes then is named at the end:
 * it is a defect of its test.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, constants, setPriority, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { environment } from "../api/settings/environment.ts";

const ROOT = join(import.meta.dirname, "..");
/** The folders of tests, and the workshop, which keeps its tests itself, so that it can be taken away as a whole. */
const ROOMS = [...globSync("test/*/", { cwd: ROOT }).map((path) => basename(path)), "workshop"].filter(
  (room) => room !== "support" && room !== "node_modules",
);

/** Everything that tests write, and what those leave behind that kill processes, goes with it. */
const TEMPORARY = mkdtempSync(join(tmpdir(), "assay-test-"));
// PostgreSQL, which refuses to run as root, has to get through.
chmodSync(TEMPORARY, 0o755);
process.once("exit", () => rmSync(TEMPORARY, { recursive: true, force: true, maxRetries: 5 }));

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface Stage {
  readonly title: string;
  /** A program of a package, from the root. */
  readonly program: string;
  readonly args: readonly string[];
  /** Takes the processor only where nothing else wants it. */
  readonly yields?: boolean;
  /** Where mocha writes what failed: a line each of file, tab, and title. */
  readonly failures?: string;
}

interface Outcome extends Tally {
  /** What it printed from its sums on: each failure with its reason. */
  readonly summary: string;
  print(): void;
}

/**
 * Each takes some 500 MB and a PostgreSQL of its own. More than processors, since tests wait for what they started: the long
 * ones half of the time.
 */
const processesFor = (all: boolean) => Math.min(4, availableParallelism() + (all ? 2 : 1));

/** They run only with `--all`. They begin first, so that the others fill the time that the longest leaves. */
const isSlow = (file: string) => file.endsWith(".slow.test.ts");

/** For young objects, in MB: with Node's default, garbage collection takes about a tenth more CPU time. */
const YOUNG_SPACE = "--max-semi-space-size=64";

/** The thousands of modules that every process of every test loads are compiled once. */
const COMPILE_CACHE = join(ROOT, "cache/compile");

function mochaStage(title: string, args: readonly string[]): Stage {
  const failures = join(TEMPORARY, `failures-${title.replaceAll(/\W+/g, "-")}`);
  const reporter = [
    "--reporter",
    join(ROOT, "workshop/failedFiles.cjs"),
    "--reporter-option",
    `failed=${failures}`,
  ];
  return { title, program: "node_modules/mocha/bin/mocha.js", args: [...reporter, ...args], failures };
}

const folderOf = (room: string) => (room === "workshop" ? "workshop/test" : `test/${room}`);

/** They run at the same time. */
function stagesOf(rooms: readonly string[], all: boolean): Stage[] {
  const patterns = rooms.map((room) => `${folderOf(room)}/**/*.test.ts`);
  const files = globSync(patterns, { cwd: ROOT });
  const quick = files.filter((file) => !isSlow(file)).sort();
  const queue = all ? [...files.filter(isSlow).sort(), ...quick] : quick;
  const mocha = mochaStage(rooms.join(", "), ["--parallel", "--jobs", String(processesFor(all)), ...queue]);
  const solidity = {
    title: "contracts (Solidity)",
    program: "node_modules/hardhat/dist/src/cli.js",
    args: ["test", "solidity", "--no-compile"],
    yields: true,
  };
  return rooms.includes("contracts") ? [mocha, solidity] : [mocha];
}

/** The sums that Hardhat and mocha print last; both count in the same words. */
function tallyOf(output: string): Tally {
  const last = (word: string): number => {
    const counts = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))];
    return Number(counts.at(-1)?.[1] ?? 0);
  };
  return { passed: last("passing"), failed: last("failing"), skipped: last("pending") };
}

/** @param show false: the output is kept and printed as a whole at the end, below that of another run */
function run({ title, program, args, yields }: Stage, show: boolean): Promise<Outcome> {
  const heading = `\n=== ${title}\n\n`;
  if (show) process.stdout.write(heading);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [YOUNG_SPACE, join(ROOT, program), ...args], {
      cwd: ROOT,
      env: {
        ...environment(),
        TMPDIR: TEMPORARY,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...(all ? { ASSAY_TEST_ALL: "1" } : {}),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let output = "";
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      if (show) process.stdout.write(chunk);
      else printed += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (show) process.stderr.write(chunk);
      else printed += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const tally = tallyOf(output);
      // A stage that broke before or after its tests is a failure too, and so is one that ran none.
      if ((code !== 0 || tally.passed === 0) && tally.failed === 0) tally.failed = 1;
      const sums = output.search(/^\s*\d+ passing\b/m);
      const summary = sums < 0 ? output.slice(-4000) : output.slice(sums);
      resolve({ ...tally, summary, print: () => show || process.stdout.write(heading + printed) });
    });
  });
}

const all = process.argv.includes("--all");
const asked = process.argv.slice(2).filter((argument) => argument !== "--all");
const unknown = asked.filter((room) => !ROOMS.includes(room));
if (unknown.length > 0) {
  console.error(`There is no test/${unknown[0]}; the rooms are ${ROOMS.join(", ")}.`);
  process.exit(2);
}

/** What failed in a stage of mocha, by title, with its file; undefined where the run broke off before it could say. */
function failuresOf({ failures }: Stage): Map<string, string> | undefined {
  if (failures === undefined || !existsSync(failures)) return undefined;
  const lines = readFileSync(failures, "utf8").split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]),
  );
}

/** Files: more than these is no accident, and they would take too long. */
const RUN_AGAIN = 5;

/** @returns the titles that failed beside the others and pass when their files run alone */
async function runAgain(stage: Stage, failed: number): Promise<string[]> {
  const before = failuresOf(stage);
  const files = [...new Set(before?.values())];
  if (before?.size !== failed || files.length > RUN_AGAIN || files.includes("")) return [];
  const again = mochaStage("once more, by themselves", files);
  const { passed } = await run(again, true);
  const after = failuresOf(again);
  return after === undefined || passed === 0 ? [] : [...before.keys()].filter((title) => !after.has(title));
}

const total: Tally = { passed: 0, failed: 0, skipped: 0 };
const summaries: string[] = [];
const unsettled: [Stage, number][] = [];
const stages = stagesOf(asked.length > 0 ? asked : ROOMS, all);
const runs = stages.map((stage, index) => run(stage, index === 0));
for (const [index, stage] of stages.entries()) {
  const { print, summary, ...tally } = await (runs[index] as Promise<Outcome>);
  print();
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += tally[key];
  if (tally.failed === 0) continue;
  summaries.push(`=== ${stage.title}: what failed\n${summary}`);
  unsettled.push([stage, tally.failed]);
}
const passedAlone: string[] = [];
for (const [stage, failed] of environment().CI ? unsettled : [])
  passedAlone.push(...(await runAgain(stage, failed)));
total.passed += passedAlone.length;
total.failed -= passedAlone.length;
// Last, where somebody looks who sees the end of a long log alone.
for (const summary of summaries) console.log(`\n${summary}`);
for (const title of passedAlone) console.log(`Failed beside the others, passed by itself: ${title}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exit(total.failed === 0 ? 0 : 1);
