/**
 * `npm run mutate`: changes one thing of the contracts at a time and runs the contract tests against each such mutant.
 *
 * - `--only <text>`: mutants whose name contains the text, for example `RouteExecutor` or `_checkIntent`; may be repeated
 * - `--sample <n>`: n mutants, evenly spread
 * - `--jobs <n>`: how many at once (1); each takes a core and some 600 MB
 * - `--list`: names them and runs nothing
 *
 * A mutant takes some three seconds of processor time, half of it the compiler's. Each finding is printed as it is made.
 * Exit code 0 when none survived, 1 otherwise, 130 when it was stopped.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Fate, TestBench } from "./bench.ts";
import { SOURCES, sourceOf, treesOf } from "./compiler.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    sample: { type: "string" },
    jobs: { type: "string", default: "1" },
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

const fates = new Map<string, Fate>();
const queue = mutants.filter(({ id }) => equivalents[id] === undefined);
const toTry = queue.length;
console.log(`${mutants.length} mutants, ${toTry} to try`);

let stopped = false;
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
          fates.set(mutant.id, fate);
          tried++;
          const minutes = Math.round((((Date.now() - began) / tried) * (toTry - tried)) / 60_000);
          console.log(
            `${String(tried).padStart(4)}/${toTry}  ${String(minutes).padStart(3)} min left  ${fate.padEnd(9)}  ${mutant.id}${by === undefined ? "" : `  (${by})`}`,
          );
        }
      }),
    );
  } finally {
    for (const bench of benches) bench.remove();
  }
}
if (stopped) {
  console.log("\nStopped.");
  process.exit(130);
}

const of = (fate: Fate): Mutant[] => mutants.filter(({ id }) => fates.get(id) === fate);
const equivalent = mutants.filter(({ id }) => equivalents[id] !== undefined);
// Their tests took too long, which may be the mutant's doing or the machine's.
const [killed, survived, unjudged] = [of("killed"), of("survived"), of("stopped")];
if (equivalent.length > 0) {
  console.log("\nEquivalent, and why:");
  for (const { id } of equivalent) console.log(`  ${id}\n      ${equivalents[id]}`);
}
if (survived.length > 0) {
  console.log("\nSurvived:");
  for (const { id, line } of survived) console.log(`  line ${line}: ${id}`);
}
if (unjudged.length > 0) {
  console.log("\nNot judged, because the tests took too long (--only tries one again):");
  for (const { id } of unjudged) console.log(`  ${id}`);
}
const judged = killed.length + survived.length;
console.log(
  `\nMutation score: ${judged === 0 ? "-" : ((100 * killed.length) / judged).toFixed(1)} % (${killed.length} of ${judged} killed, ` +
    `${equivalent.length} equivalent, ${of("unchanged").length} without effect on the code, ${of("stillborn").length} that do not compile)`,
);
process.exit(survived.length === 0 && unjudged.length === 0 ? 0 : 1);
