/**
 * Tests mutants in a process of its own: the compiler keeps its thread busy, and a mutant that makes the tests run
 * forever is killed with it. Says `ready` once the tests have passed on the guard as it is.
 */
import { type Bytecodes, bytecodesOf, SOURCES, sourceOf } from "./compiler.ts";
import { applied, type Mutant } from "./mutants.ts";
import { Suites, type TestSettings } from "./suites.ts";

export interface Order {
  /** Where contracts and tests have been built. */
  readonly folder: string;
  readonly tests: TestSettings;
}

/** `passed`: no Solidity test noticed, and these are the bytecodes for the others to be tried on. */
export type Finding =
  | { readonly kind: "ready" }
  | { readonly kind: "stillborn" | "unchanged" }
  | { readonly kind: "killed"; readonly by: string }
  | { readonly kind: "passed"; readonly bytecodes: Bytecodes }
  | { readonly kind: "broken"; readonly why: string };

// The metadata at the end differs with the source; the code is what counts.
const withoutMetadata = (codes: Bytecodes): string =>
  JSON.stringify(codes).replace(/a264697066735822[0-9a-f]{68}/g, "");

async function findingOn(suites: Suites, mutant: Mutant, unchanged: Bytecodes): Promise<Finding> {
  // The executor's code is in the guard's. Of the others each is compiled for its own mutants alone.
  const isGuard = (file: string) => /Trade|Route/.test(file);
  const affected = SOURCES.filter((file) => file === mutant.file || (isGuard(file) && isGuard(mutant.file)));
  const replaced = { [mutant.file]: applied(sourceOf(mutant.file), mutant) };
  // Most fail whichever way they are compiled: only what passes is compiled as it is shipped, which takes longest.
  const quick = bytecodesOf(affected, replaced, false);
  const quickly = quick && (await suites.firstFailure(quick));
  if (quickly !== undefined) return { kind: "killed", by: quickly };
  const changed = bytecodesOf(affected, replaced);
  if (changed === undefined) return { kind: "stillborn" };
  const bytecodes = { ...unchanged, ...changed };
  if (withoutMetadata(bytecodes) === withoutMetadata(unchanged)) return { kind: "unchanged" };
  const by = await suites.firstFailure(bytecodes);
  return by === undefined ? { kind: "passed", bytecodes } : { kind: "killed", by };
}

const say = (finding: Finding): void => void process.send?.(finding);

if (import.meta.main) {
  const { folder, tests }: Order = JSON.parse(process.argv[2]!);
  // The parent decides when it ends, although Ctrl-C reaches the whole group.
  process.on("SIGINT", () => {});
  try {
    const suites = await Suites.open(folder, tests);
    const unchanged = bytecodesOf(SOURCES)!;
    for (const codes of [bytecodesOf(SOURCES, {}, false)!, unchanged]) await suites.warmUp(codes);
    process.on("message", (mutant: Mutant) =>
      findingOn(suites, mutant, unchanged).then(say, (error) => say({ kind: "broken", why: String(error) })),
    );
    say({ kind: "ready" });
  } catch (error) {
    say({ kind: "broken", why: String(error) });
  }
}
