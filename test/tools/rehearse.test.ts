import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { REHEARSALS } from "../../tools/rehearse/list.ts";

const ROOT = new URL("../..", import.meta.url);
const rehearse = (...args: string[]) =>
  spawnSync(process.execPath, ["tools/rehearse/main.ts", ...args], { cwd: ROOT, encoding: "utf8" });

describe("the rehearsal of faults", () => {
  it("the rehearsal of faults has an entry for every fault that the operations page lists, in its order", () => {
    const page = readFileSync(new URL("docs/operations.md", ROOT), "utf8");
    const table = /## Faults\n[\s\S]*?\n\|---[^\n]*\n([\s\S]*?)\n\n/.exec(page)?.[1] ?? "";
    const listed = table.split("\n").map((line) => line.split("|")[1]?.trim());
    expect(REHEARSALS.map(({ fault }) => fault)).to.deep.equal(listed);
  });

  it("prints what clients saw of a fault, and ends with 0 when all promises held", () => {
    const { status, stdout } = rehearse("--one", "body of 100 MB");
    expect(stdout).to.match(/^\| A body of 100 MB is announced \| 413 after [0-9.]+ s \|.*\| kept \|$/m);
    expect(status).to.equal(0);
  });

  it("says what it can do when it is asked for nothing, or for what it has not", () => {
    expect(rehearse().status).to.equal(2);
    const { status, stderr } = rehearse("--one", "earthquake");
    expect([status, stderr.split("\n")[0]]).to.deep.equal([2, 'No fault has "earthquake" in its name.']);
  });
});
