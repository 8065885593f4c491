import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { afterRunning } from "../mutate/bench.ts";
import { SOURCES, sourceOf, treesOf } from "../mutate/compiler.ts";
import { Ledger, stateOf, timeLeft } from "../mutate/ledger.ts";
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

describe("a run of the mutants that was stopped", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "assay-ledger-"));
    path = join(folder, "cache/mutants.json");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("goes on with what it had found", () => {
    Ledger.open(path, "as now", false).record("a", "killed");
    const resumed = Ledger.open(path, "as now", true);
    expect(resumed.fateOf("a")).to.equal("killed");
    expect(resumed.fateOf("b")).to.equal(undefined);
    resumed.record("b", "survived");
    expect(Ledger.open(path, "as now", true).size).to.equal(2);
  });

  it("starts over when it is not asked to go on", () => {
    Ledger.open(path, "as now", false).record("a", "killed");
    expect(Ledger.open(path, "as now", false).size).to.equal(0);
  });

  it("starts over when contracts or tests are others by now", () => {
    Ledger.open(path, "as it was", false).record("a", "killed");
    expect(Ledger.open(path, "as now", true).size).to.equal(0);
  });

  it("starts over when it was stopped in the middle of a write", () => {
    Ledger.open(path, "as now", false).record("a", "killed");
    writeFileSync(path, readFileSync(path, "utf8").slice(0, -5));
    expect(Ledger.open(path, "as now", true).size).to.equal(0);
  });

  it("knows another state by any byte and any name of a file that decides", () => {
    mkdirSync(join(folder, "contracts"));
    const states = [
      ["a.sol", "one"],
      ["a.sol", "two"],
      ["b.sol", ""],
      ["b.sol.txt", "not asked for"],
    ].map(([name, content]) => {
      writeFileSync(join(folder, "contracts", name!), content!);
      return stateOf(folder, ["contracts/**/*.sol"]);
    });
    expect(new Set(states.slice(0, 3)).size).to.equal(3);
    expect(states[3]).to.equal(states[2]);
  });

  it("goes on with its tests after it was suspended, for however long", async () => {
    let isOver = false;
    const over = new Promise<void>((resolve) => afterRunning(3, resolve, 10)).then(() => (isOver = true));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(isOver).to.equal(false);
    await over;
  });

  it("tells how long the rest will take", () => {
    expect(timeLeft(0, 10, 5_000)).to.equal("time left unknown");
    expect(timeLeft(2, 10, 10_000)).to.equal("50 s left");
    expect(timeLeft(2, 300, 10_000)).to.equal("25 min left");
    expect(timeLeft(5, 0, 10_000)).to.equal("done");
  });
});
