/** The README stays a page that a newcomer reads in a minute. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";

const ROOT = join(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");

describe("README.md", () => {
  it("has at most 120 lines and 700 words", () => {
    expect(README.trimEnd().split("\n").length).to.be.at.most(120);
    expect(README.split(/\s+/).filter((word) => word !== "").length).to.be.at.most(700);
  });

  it("shows of the agent's first trade what docs/first-trade.md shows, in eight lines", () => {
    const page = readFileSync(join(ROOT, "docs/first-trade.md"), "utf8").split("\n");
    const steps = README.split("\n").filter((line) => /^\d\. [a-z]+ {2,}/.test(line));
    expect(steps).to.have.length(8);
    expect(page).to.include.members(steps);
  });
});
