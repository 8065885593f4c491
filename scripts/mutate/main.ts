/**
 * `npm run mutate`: changes one thing of the guard at a time and runs the contract tests against each such mutant.
 *
 *   --only <text>    mutants whose name contains the text, for example RouteExecutor or _checkIntent; may be repeated
 *   --sample <n>     n mutants, evenly spread
 *   --jobs <n>       how many at once (1)
 *   --list           names them and runs nothing
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { TestBench } from "./bench.ts";
import { guardBytecode, SOURCES, sourceOf, treesOf } from "./compiler.ts";
import { applied, type Mutant, mutantsOf } from "./mutants.ts";

type Fate = "killed" | "survived" | "equivalent" | "stillborn" | "unchanged";

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

async function judge(bench: TestBench, mutant: Mutant, unchanged: string): Promise<Fate> {
  if (equivalents[mutant.id] !== undefined) return "equivalent";
  const bytecode = guardBytecode({ [mutant.file]: applied(sourceOf(mutant.file), mutant) });
  if (bytecode === undefined) return "stillborn";
  // The metadata at the end differs with the source; the code is what counts.
  if (withoutMetadata(bytecode) === withoutMetadata(unchanged)) return "unchanged";
  bench.put(bytecode);
  return (await bench.killedBy()) === undefined ? "survived" : "killed";
}

const withoutMetadata = (bytecode: string): string => bytecode.replace(/a264697066735822[0-9a-f]{68}/g, "");

const mutants = chosen();
if (options.list) {
  for (const { id } of mutants) console.log(id);
  process.exit(0);
}

console.log(`${mutants.length} mutants; compiling the tests in a copy…`);
const first = await TestBench.create();
const benches = [first, ...Array.from({ length: Number(options.jobs) - 1 }, () => first.copy())];
const fates = new Map<Mutant, Fate>();
try {
  const unchanged = guardBytecode({})!;
  const queue = [...mutants];
  await Promise.all(
    benches.map(async (bench) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const fate = await judge(bench, mutant, unchanged);
        fates.set(mutant, fate);
        console.log(`${String(fates.size).padStart(4)}/${mutants.length} ${fate.padEnd(10)} ${mutant.id}`);
      }
    }),
  );
} finally {
  for (const bench of benches) bench.remove();
}

const of = (fate: Fate): Mutant[] => mutants.filter((mutant) => fates.get(mutant) === fate);
const [killed, survived, equivalent] = [of("killed"), of("survived"), of("equivalent")];
if (equivalent.length > 0) {
  console.log("\nEquivalent, and why:");
  for (const { id } of equivalent) console.log(`  ${id}\n      ${equivalents[id]}`);
}
if (survived.length > 0) {
  console.log("\nSurvived:");
  for (const { id, line } of survived) console.log(`  line ${line}: ${id}`);
}
const judged = killed.length + survived.length;
console.log(
  `\nMutation score: ${judged === 0 ? "-" : ((100 * killed.length) / judged).toFixed(1)} % (${killed.length} of ${judged} killed, ` +
    `${equivalent.length} equivalent, ${of("unchanged").length} without effect on the code, ${of("stillborn").length} that do not compile)`,
);
process.exit(survived.length === 0 ? 0 : 1);
