/** docs/benchmarks.md against the benches that write it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import BENCHES from "../bench/benches.json" with { type: "json" };
import { commandsIn, replaced, withTargets } from "../bench/page.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/benchmarks.md"), "utf8");

describe("docs/benchmarks.md", () => {
  it("has a place for every bench, once", () => {
    const names = commandsIn(PAGE).map((command) => command.split(" ")[0]);
    expect(names.sort()).to.deep.equal(
      Object.keys(BENCHES)
        .filter((name) => name !== "report")
        .sort(),
    );
  });

  it("lists all targets of its sections at the top, unchanged", () => {
    expect(withTargets(PAGE)).to.equal(PAGE);
    const table =
      "| target | wanted | measured |  |\n| --- | --- | --- | --- |\n| speed | at least 1 | 0.5 | **missed** |";
    const changed = withTargets(replaced(PAGE, "bench mcp", table));
    const top = changed.slice(0, changed.indexOf("<!-- /targets -->"));
    expect(top).to.include("| speed | at least 1 | 0.5 | **missed** |").and.to.not.include("MCP: ");
  });

  it("refuses a section that has no place", () => {
    expect(() => replaced(PAGE, "bench nothing", "")).to.throw(
      "docs/benchmarks.md has no <!-- bench nothing -->",
    );
  });
});
