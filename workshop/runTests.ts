/**
 * `npm test`: the tests of every room, and one line at the end with how many passed and failed. Mocha takes file after
 * file with several processes, and beside them Hardhat compiles and runs the Solidity tests in the time that these leave.
 * `npm test -- api e2e` runs those rooms alone.
 *
 * Files named `*.slow.test.ts` run only with `--all`, which sets ASSAY_TEST_ALL=1: by it, tests that try many inputs
 * try more. The Solidity tests are left out where nothing that they are made of has changed since they passed.
 *
 * How long each file took is in `cache/testTimes.json`, the longest first.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, constants, setPriority, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { environment } from "../api/settings/environment.ts";
import { type Build, isBuilt, markBuilt } from "../build/buildOnce.ts";
import { CONTRACTS } from "../build/contracts.ts";

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

/** A line for each file, which the processes of mocha add. */
const TIMES = join(TEMPORARY, "times");
const TIMES_KEPT = join(ROOT, "cache/testTimes.json");
const SLOWEST = 20;

/** For young objects, in MB: with Node's default, garbage collection takes about a tenth more CPU time. */
const YOUNG_SPACE = "--max-semi-space-size=64";

/** The thousands of modules that every process of every test loads are compiled once. */
const COMPILE_CACHE = join(ROOT, "cache/compile");

interface Stage {
  readonly title: string;
  /** A program of a package, from the root. */
  readonly program: string;
  readonly args: readonly string[];
  /** Takes the processor only where nothing else wants it, and prints as a whole when it has ended. */
  readonly yields: boolean;
}

interface Outcome {
  readonly title: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What it printed from its sums on: each failure with its reason. */
  readonly summary: string;
}

interface Time {
  readonly file: string;
  readonly seconds: number;
  /** Of the process that ran it, and of the programs that it started. */
  readonly processorSeconds: number;
}

async function main(args: readonly string[]): Promise<number> {
  const startedAt = Date.now();
  const all = args.includes("--all");
  const asked = args.filter((argument) => argument !== "--all");
  const unknown = asked.find((room) => !ROOMS.includes(room));
  if (unknown !== undefined) {
    console.error(`There is no test/${unknown}; the rooms are ${ROOMS.join(", ")}.`);
    return 2;
  }
  const rooms = asked.length > 0 ? asked : ROOMS;
  const runs = [run(mochaStage(rooms, all), all)];
  const unchanged = !environment().CI && isBuilt(solidityTests(all));
  if (rooms.includes("contracts") && !unchanged) runs.push(runSolidity(all));
  const outcomes = await Promise.all(runs);

  console.log(keepTimes());
  // Last, where somebody looks who sees the end of a long log alone.
  for (const { title, failed, summary } of outcomes)
    if (failed > 0) console.log(`=== ${title}: what failed\n${summary}\n`);
  if (rooms.includes("contracts") && unchanged)
    console.log(
      "The contracts and their Solidity tests are as they were when these passed, and were left out.",
    );
  const sum = (key: "passed" | "failed" | "skipped") =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  const skipped = sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : "";
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed${skipped}, in ${seconds} s`);
  return sum("failed") === 0 ? 0 : 1;
}

/**
 * Each takes some 500 MB and a PostgreSQL of its own. More than processors, since tests wait for what they started: the long
 * ones half of the time.
 */
const processesFor = (all: boolean) => Math.min(4, availableParallelism() + (all ? 2 : 1));

/** They run only with `--all`. They begin first, so that the others fill the time that the longest leaves. */
const isSlow = (file: string) => file.endsWith(".slow.test.ts");

/** The Solidity tests are as a build of what they are made of: its stamp says that they passed. */
const solidityTests = (all: boolean): Build => ({
  ...CONTRACTS,
  name: all ? "allSolidityTests" : "solidityTests",
  sources: [...CONTRACTS.sources, "test/contracts/**/*.sol"],
  results: [],
  make: () => Promise.resolve(true),
});

function mochaStage(rooms: readonly string[], all: boolean): Stage {
  const folders = rooms.map((room) => (room === "workshop" ? "workshop/test" : `test/${room}`));
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: ROOT },
  ).sort();
  const quick = files.filter((file) => !isSlow(file));
  const queue = all ? [...files.filter(isSlow), ...quick] : quick;
  return {
    title: rooms.join(", "),
    program: "node_modules/mocha/bin/mocha.js",
    args: [
      "--parallel",
      `--jobs=${processesFor(all)}`,
      `--reporter=${join(ROOT, "workshop/reporter.cjs")}`,
      ...longestFirst(queue),
    ],
    yields: false,
  };
}

/** By the last run's times: one that begins last would make all others wait. New files come before them. */
function longestFirst(files: readonly string[]): string[] {
  const seconds = new Map(timesIn(TIMES_KEPT).map((time) => [time.file, time.seconds]));
  const of = (file: string) => seconds.get(file) ?? Number.POSITIVE_INFINITY;
  return files.toSorted((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)));
}

const timesIn = (path: string): Time[] => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : []);

const SOLIDITY: Stage = {
  title: "contracts (Solidity)",
  program: "node_modules/hardhat/dist/src/cli.js",
  args: ["test", "solidity", "--no-compile"],
  yields: true,
};

function run({ title, program, args, yields }: Stage, all: boolean): Promise<Outcome> {
  const heading = `\n=== ${title}\n\n`;
  if (!yields) process.stdout.write(heading);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [YOUNG_SPACE, join(ROOT, program), ...args], {
      cwd: ROOT,
      env: {
        ...environment(),
        TMPDIR: TEMPORARY,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ASSAY_TEST_TIMES: TIMES,
        ...(all ? { ASSAY_TEST_ALL: "1" } : {}),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (yields && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
      if (!yields) process.stdout.write(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (yields) output += chunk;
      else process.stderr.write(chunk);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (yields) process.stdout.write(heading + output);
      resolve(outcomeOf(title, output, code));
    });
  });
}

/** By the sums that Hardhat and mocha print last, both in the same words. */
function outcomeOf(title: string, output: string, code: number | null): Outcome {
  const last = (word: string): number => {
    const counts = [...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))];
    return Number(counts.at(-1)?.[1] ?? 0);
  };
  const [passed, failed] = [last("passing"), last("failing")];
  // A stage that broke before or after its tests is a failure too, and so is one that ran none.
  const isBroken = failed === 0 && (code !== 0 || passed === 0);
  const sums = output.search(/^\s*\d+ passing\b/m);
  return {
    title,
    passed,
    failed: isBroken ? 1 : failed,
    skipped: last("pending"),
    summary: sums < 0 ? output.slice(-4000) : output.slice(sums),
  };
}

async function runSolidity(all: boolean): Promise<Outcome> {
  const outcome = await run(SOLIDITY, all);
  if (outcome.failed === 0) {
    markBuilt(solidityTests(false));
    if (all) markBuilt(solidityTests(true));
  }
  return outcome;
}

/** Writes down how long each file took. @returns the slowest, in lines */
function keepTimes(): string {
  if (!existsSync(TIMES)) return "";
  const lines = readFileSync(TIMES, "utf8").trim().split("\n");
  const times = lines.map((line): Time => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds);
  const measured = new Set(times.map(({ file }) => file));
  const others = timesIn(TIMES_KEPT).filter(
    ({ file }) => !measured.has(file) && existsSync(join(ROOT, file)),
  );
  writeFileSync(TIMES_KEPT, JSON.stringify([...times, ...others], null, 2));
  const slowest = times.slice(0, SLOWEST);
  const line = ({ file, seconds, processorSeconds }: Time) =>
    `${seconds.toFixed(1).padStart(7)} ${processorSeconds.toFixed(1).padStart(7)}  ${file}`;
  return ["\nSeconds, and of the processor:", ...slowest.map(line), ""].join("\n");
}

process.exit(await main(process.argv.slice(2)));
