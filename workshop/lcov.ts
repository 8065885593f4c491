/** Reads an lcov trace file and says of each contract whether all of it was run. */
import { existsSync, readFileSync } from "node:fs";

/** A Solidity file that has to be covered. */
export interface Contract {
  readonly path: string;
  readonly source: string;
}

export interface Verdict extends FileCoverage {
  /** `empty`: nothing in it can run. `unmeasured`: it has code, and the trace file does not speak of it. */
  readonly outcome: "complete" | "missed" | "empty" | "unmeasured";
}

/** @throws Error when there is no such file: then nothing was measured */
export function readLcov(path: string): FileCoverage[] {
  if (!existsSync(path)) throw new Error(`No coverage was written: ${path} does not exist.`);
  return parseLcov(readFileSync(path, "utf8"));
}

export type FileCoverage = ReturnType<typeof parseLcov>[number];

/**
 * Reads `SF:<path>`, `DA:<line>,<count>` and `end_of_record` of each source file; counts of a file that appears twice
 * are added.
 * @throws Error for a record that is not closed, or for lines outside of one
 */
export function parseLcov(text: string) {
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
    /** Lines with a statement on them. */
    found: counts.size,
    /** Numbers of those that were not run, ascending. */
    missed: [...counts]
      .filter(([, count]) => count === 0)
      .map(([line]) => line)
      .sort((a, b) => a - b),
  }));
}

/** One verdict a contract, in the order given. A contract that the trace file leaves out has to be without code. */
export function judge(contracts: readonly Contract[], files: readonly FileCoverage[]): Verdict[] {
  return contracts.map(({ path, source }) => {
    const file = files.find((candidate) => candidate.path === path);
    if (file === undefined || file.found === 0)
      return { path, found: 0, missed: [], outcome: hasCode(source) ? "unmeasured" : "empty" };
    return { ...file, outcome: file.missed.length === 0 ? "complete" : "missed" };
  });
}

/** Whether every line that can run was run. Nothing to judge is no success. */
export function isComplete(verdicts: readonly Verdict[]): boolean {
  return (
    verdicts.some(({ outcome }) => outcome === "complete") &&
    verdicts.every(({ outcome }) => outcome === "complete" || outcome === "empty")
  );
}

/** A function with a body; a file without one, such as an interface, has nothing to run. */
function hasCode(source: string): boolean {
  return /\)[^;{}]*\{/.test(source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""));
}
