/** Reads an lcov trace file and says of each contract whether all of it was run. */

export interface Contract {
  readonly path: string;
  readonly source: string;
}

/**
 * One verdict a contract, in the order given. A contract that the trace file leaves out has to be without code.
 * @param lcov text of the trace file: `SF:<path>`, `DA:<line>,<count>` and `end_of_record` of each source file
 * @throws Error for one that breaks off
 */
export function judge(contracts: readonly Contract[], lcov: string) {
  const records = lcov.split(/^end_of_record$/m);
  if (records.pop()?.trim() !== "") throw new Error("lcov: the last file is not closed.");
  return contracts.map(({ path, source }) => {
    const record = records.find((text) => text.split("\n").includes(`SF:${path}`)) ?? "";
    const lines = [...record.matchAll(/^DA:(\d+),(\d+)/gm)];
    const missed = lines.filter(([, , count]) => count === "0").map(([, line]) => Number(line));
    const outcome =
      lines.length > 0
        ? missed.length === 0
          ? "complete"
          : "missed"
        : hasCode(source)
          ? "unmeasured"
          : "empty";
    return {
      path,
      /** Lines with a statement on them. */
      found: lines.length,
      /** Numbers of those that were not run, ascending. */
      missed: missed.sort((a, b) => a - b),
      /** `empty`: nothing in it can run. `unmeasured`: it has code, and the trace file does not speak of it. */
      outcome,
    };
  });
}

export type Verdict = ReturnType<typeof judge>[number];

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
