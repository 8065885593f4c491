import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { sourceOf } from "../mutate/compiler.ts";
import DEFECTS from "../mutate/defects.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");

describe("the planted defects", () => {
  it("each change one place of a contract, and no two alike", () => {
    for (const { file, find, replace } of DEFECTS) {
      expect(sourceOf(file).split(find), find).to.have.length(2);
      expect(replace, find).not.to.equal(find);
    }
    const changes = new Set(DEFECTS.map(({ file, find, replace }) => JSON.stringify([file, find, replace])));
    expect(changes.size).to.equal(DEFECTS.length);
  });

  it("name a test that exists", () => {
    const tests = globSync("test/contracts/*.t.sol", { cwd: ROOT })
      .map((path) => readFileSync(join(ROOT, path), "utf8"))
      .join("\n");
    for (const { killedBy } of DEFECTS) {
      const [suite, test] = killedBy.split(".");
      expect(tests, killedBy).to.include(`contract ${suite} is`).and.to.include(`function ${test}(`);
    }
  });
});
