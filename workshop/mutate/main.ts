/**
 * `npm run mutate`: changes one thing of the contracts at a time and runs the contract tests against each such mutant.
 *
 *   --only <text>    mutants whose name contains the text, for example RouteExecutor or _checkIntent; may be repeated
 *   --sample <n>     n mutants, evenly spread
 *   --jobs <n>       how many at once (1); each takes a core and some 600 MB
 *   --resume         goes on where a run was stopped, if neither contracts nor tests have changed since
 *   --list           names them and runs nothing
 *
 * A mutant takes some three seconds of processor time, half of it the compiler's. Each finding is kept as it is made,
 * so Ctrl-C loses nothing. Exit code 0 when none survived, 1 otherwise, 130 when it was stopped.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TestBench } from "./bench.ts";
import { SOURCES, sourceOf, treesOf } from "./compiler.ts";
import { type Fate, Ledger, stateOf, timeLeft } from "./ledger.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

const ROOT = join(import.meta.dirname, "../..");
const LEDGER = join(ROOT, "cache/mutants.json");
const DECISIVE = [
  "contracts/**/*.sol",
  "test/contracts/**/*.{sol,ts,json}",
  "test/support/contracts/**/*.{sol,ts}",
  "{workshop/mutate,workshop/solidity,build}/*.ts",
  "package-lock.json",
];

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    sample: { type: "string" },
    jobs: { type: "string", default: "1" },
    resume: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

/** By name, why no test can tell the mutant from the guard. */
const equivalents: Record<string, string> = JSON.parse(
  readFileSync(join(import.meta.dirname, "equivalent.json"), "utf8"),
);

function chosen(): Mutant[] {
  const trees = treesOf();
  const all = SOURCES.flatMap((file) => mutantsOf(file, sourceOf(file), trees[file]));
  const named = all.filter(({ id }) => options.only?.some((text) => id.includes(text)) ?? true);
  const sample = Number(options.sample ?? named.length);
  return named.filter(
    (_, index) =>
      Math.floor((index * sample) / named.length) !== Math.floor(((index - 1) * sample) / named.length),
  );
}

const mutants = chosen();
if (options.list) {
  for (const { id } of mutants) console.log(id);
  process.exit(0);
}

const ledger = Ledger.open(LEDGER, stateOf(ROOT, DECISIVE), options.resume);
const queue = mutants.filter(({ id }) => equivalents[id] === undefined && ledger.fateOf(id) === undefined);
const toTry = queue.length;
console.log(
  `${mutants.length} mutants, ${toTry} to try${options.resume ? ` (${ledger.size} known from before)` : ""}`,
);

let stopped = false;
/** Their tests took too long, which may be the mutant's doing or the machine's. */
const unjudged: string[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    stopped = true;
  });

if (toTry > 0) {
  console.log("Compiling the tests in a copy and running them on the guard as it is…");
  const first = await TestBench.create().catch((error: Error) => {
    console.error(error.message);
    process.exit(stopped ? 130 : 1);
  });
  const benches = [first, ...Array.from({ length: Number(options.jobs) - 1 }, () => first.copy())];
  try {
    const began = Date.now();
    let tried = 0;
    await Promise.all(
      benches.map(async (bench) => {
        for (let mutant = queue.shift(); mutant !== undefined && !stopped; mutant = queue.shift()) {
          const { fate, by } = await bench.judge(mutant);
          // Ctrl-C reaches the tests too, and a test that was stopped has found nothing.
          if (stopped) return;
          if (fate === "stopped") unjudged.push(mutant.id);
          else ledger.record(mutant.id, fate);
          tried++;
          const left = timeLeft(tried, toTry - tried, Date.now() - began);
          console.log(
            `${String(tried).padStart(4)}/${toTry}  ${left.padStart(12)}  ${fate.padEnd(9)}  ${mutant.id}${by === undefined ? "" : `  (${by})`}`,
          );
        }
      }),
    );
  } finally {
    for (const bench of benches) bench.remove();
  }
}
if (stopped) {
  console.log("\nStopped. npm run mutate -- --resume goes on.");
  process.exit(130);
}

const of = (fate: Fate): Mutant[] =>
  mutants.filter(({ id }) => equivalents[id] === undefined && ledger.fateOf(id) === fate);
const equivalent = mutants.filter(({ id }) => equivalents[id] !== undefined);
const [killed, survived] = [of("killed"), of("survived")];
if (equivalent.length > 0) {
  console.log("\nEquivalent, and why:");
  for (const { id } of equivalent) console.log(`  ${id}\n      ${equivalents[id]}`);
}
if (survived.length > 0) {
  console.log("\nSurvived:");
  for (const { id, line } of survived) console.log(`  line ${line}: ${id}`);
}
if (unjudged.length > 0) {
  console.log("\nNot judged, because the tests took too long (npm run mutate -- --resume tries again):");
  for (const id of unjudged) console.log(`  ${id}`);
}
const judged = killed.length + survived.length;
console.log(
  `\nMutation score: ${judged === 0 ? "-" : ((100 * killed.length) / judged).toFixed(1)} % (${killed.length} of ${judged} killed, ` +
    `${equivalent.length} equivalent, ${of("unchanged").length} without effect on the code, ${of("stillborn").length} that do not compile)`,
);
process.exit(survived.length === 0 && unjudged.length === 0 ? 0 : 1);
