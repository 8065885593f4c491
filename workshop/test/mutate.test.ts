import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { afterRunning } from "../mutate/bench.ts";
import { SOURCES, sourceOf, treesOf } from "../mutate/compiler.ts";
import { applied, mutantsOf } from "../mutate/mutants.ts";
import MUTANTS from "./mutants.json" with { type: "json" };

const EQUIVALENT = join(import.meta.dirname, "../mutate/equivalent.json");

describe("the mutants of the guard", () => {
  const trees = treesOf();
  const mutants = SOURCES.flatMap((file) => mutantsOf(file, sourceOf(file), trees[file]));

  it("the mutants of the guard have names of their own, by which they can be chosen and listed", () => {
    expect(new Set(mutants.map(({ id }) => id)).size).to.equal(mutants.length);
  });

  it("each change the source at one place, and there what they name", () => {
    for (const mutant of mutants) {
      const before = Buffer.from(sourceOf(mutant.file));
      const after = applied(sourceOf(mutant.file), mutant);
      expect(after, mutant.id).not.to.equal(before.toString());
      expect(before.subarray(mutant.start, mutant.end).toString().replace(/\s+/g, " "), mutant.id).to.equal(
        mutant.original,
      );
    }
  });

  it("drop every check and every call of a trade, among others", () => {
    for (const id of MUTANTS.drops) expect(mutants.map((mutant) => mutant.id)).to.include(id);
  });

  it("change order, conditions, types, neighbours, state and events, as a tired engineer would", () => {
    const ids = mutants.map(({ id }) => id.replace(/^contracts\//, ""));
    for (const id of Object.values(MUTANTS.changes).flat()) expect(ids).to.include(id);
  });

  it("that are listed as equivalent exist, and have a reason", () => {
    const reasons: Record<string, string> = JSON.parse(readFileSync(EQUIVALENT, "utf8"));
    const ids = new Set(mutants.map(({ id }) => id));
    for (const [id, reason] of Object.entries(reasons)) {
      expect(ids.has(id), `there is no mutant ${id}`).to.equal(true);
      expect(reason.length, id).to.be.greaterThan(20);
    }
  });
});

describe("a run of the mutants that was suspended", () => {
  it("goes on with its tests, for however long it was suspended", async () => {
    let isOver = false;
    const over = new Promise<void>((resolve) => afterRunning(3, resolve, 10)).then(() => (isOver = true));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(isOver).to.equal(false);
    await over;
  });
});
