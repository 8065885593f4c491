/**
 * `npm run formal`: proves properties for all arguments, all storage and all times, on the guard's own code. The
 * compiler's SMTChecker proves those of workshop/formal/asserts/. Our machine proves those of
 * workshop/formal/properties/, which the SMTChecker cannot, on the code as the compiler optimizes it. See
 * docs/guard/formal.md. Exit code 0 when every property is proved, 1 otherwise.
 */
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { compile, sourceOf, withRealCode } from "./formal/harness.ts";
import { prove } from "./formal/prove.ts";
import { checkAsserts } from "./formal/smtChecker.ts";
import { createSolver } from "./formal/solver.ts";

const ROOT = join(import.meta.dirname, "..");
const TIMEOUT_MS = 120_000;

const solver = await createSolver(TIMEOUT_MS);
let [proved, all] = [0, 0];
for (const path of globSync("workshop/formal/properties/*.sol", { cwd: ROOT }).sort()) {
  const harness = compile(basename(path, ".sol"), withRealCode(sourceOf(path), sourceOf));
  console.log(`\n${path}`);
  for (const property of harness.properties) {
    const began = Date.now();
    const { outcome, paths, counterexample } = await prove(harness, property, solver);
    const told = `${paths} ${paths === 1 ? "path" : "paths"}, ${((Date.now() - began) / 1000).toFixed(1)} s`;
    console.log(`  ${outcome.padEnd(8)} ${property.kind} ${property.name} (${told})`);
    if (counterexample !== undefined) console.log(counterexample);
    all++;
    if (outcome === "proved") proved++;
  }
}
for (const path of globSync("workshop/formal/asserts/*.sol", { cwd: ROOT }).sort()) {
  console.log(`\n${path}, by the SMTChecker`);
  const checked = await checkAsserts(basename(path, ".sol"), withRealCode(sourceOf(path), sourceOf), solver);
  for (const name of new Set(checked.map(({ property }) => property))) {
    const own = checked.filter(({ property }) => property === name);
    const outcome = own.find((each) => each.outcome !== "proved")?.outcome ?? "proved";
    console.log(`  ${outcome.padEnd(8)} ${name}`);
    all++;
    if (outcome === "proved") proved++;
  }
}
solver.close();
console.log(`\n${proved} of ${all} properties proved.`);
process.exit(proved === all && all > 0 ? 0 : 1);
