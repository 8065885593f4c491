import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";

const SOURCES = new URL("../../../market/providers/", import.meta.url);
const TESTS = new URL("./", import.meta.url);

describe("the providers", () => {
  it("each have a file, a captured payload and a test", () => {
    const registered = readFileSync(new URL("all.ts", SOURCES), "utf8");
    const names = [...registered.matchAll(/from "\.\/(\w+)\.ts"/g)].map(([, name]) => name!);
    expect(names.length).to.be.above(10);
    const [tests, captured] = [TESTS, new URL("captured/", TESTS)].map((folder) => readdirSync(folder));
    for (const name of names) {
      expect(tests, name).to.include(`${name}.test.ts`);
      expect(
        captured!.filter((file) => file.startsWith(`${name}.`)),
        name,
      ).to.not.have.length(0);
    }
  });

  it("take nothing in the place of what is not there: no schema has a default", () => {
    for (const file of readdirSync(SOURCES)) {
      // What catches a rejected promise is a function.
      const [defaulted] =
        /\.(default|prefault)\(|\.catch\((?!\()/.exec(readFileSync(new URL(file, SOURCES), "utf8")) ?? [];
      expect(defaulted, file).to.equal(undefined);
    }
  });
});
