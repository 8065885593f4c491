import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import DEFECTS from "../../workshop/mutate/defects.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const squeezed = (text: string): string => text.replace(/\s+/g, "");

/** From a function's or modifier's name to the end of its body, which formatting shows by the indentation. */
function bodyOf(path: string, name: string): string | undefined {
  const found = new RegExp(`^( *)(?:function|modifier) ${name}\\b[\\s\\S]*?^\\1\\}`, "m").exec(read(path));
  return found?.[0];
}

interface Property {
  readonly title: string;
  readonly code: readonly { path: string; name: string; fragment: string }[];
  readonly tests: readonly { path: string; name: string }[];
}

function properties(): Property[] {
  const text = read("docs/guard/threat-model.md");
  const section = text.slice(text.indexOf("\n## Properties"), text.indexOf("\n## Choices"));
  return section
    .split(/\n(?=\d+\. )/)
    .slice(1)
    .map((part) => ({
      title: part.split("\n")[0]!,
      code: [...part.matchAll(/- code: `([^`]+)` `([^`]+)`: `([^`]+)`/g)].map(([, path, name, fragment]) => ({
        path: path!,
        name: name!,
        fragment: fragment!,
      })),
      tests: [...part.matchAll(/- tests in `([^`]+)`: (.*)/g)].flatMap(([, path, names]) =>
        [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => ({ name: name!, path: path! })),
      ),
    }));
}

describe("the threat model", () => {
  it("numbers its properties from one on", () => {
    const numbers = properties().map(({ title }) => Number.parseInt(title, 10));
    expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1));
    expect(numbers.length).to.be.greaterThan(30);
  });

  for (const { title, code, tests } of properties()) {
    it(`${title.replace(/\.$/, "")}: has its code and its tests`, () => {
      expect(code, "lines of code").not.to.be.empty;
      expect(tests, "tests").not.to.be.empty;
      for (const { path, name, fragment } of code) {
        const body = bodyOf(path, name);
        expect(body, `${name} in ${path}`).not.to.equal(undefined);
        expect(squeezed(body!), `${name} in ${path}`).to.include(squeezed(fragment));
      }
      for (const { path, name } of tests) expect(read(path), path).to.include(`function ${name}(`);
    });
  }

  const attacks = read("docs/guard/threat-model.md")
    .split("\n## ")
    .find((part) => part.startsWith("Known attacks\n"));
  const named = [...(attacks ?? "").matchAll(/`(test\w+)`/g)].map(([, name]) => name!);
  const carriedOut = [
    ...read("test/contracts/Attacks.t.sol").matchAll(/function (test\w+)\(\) public fails\b/g),
  ].map(([, name]) => name!);

  it("names tests of known attacks that are there", () => {
    const tests = globSync("test/contracts/*.t.sol", { cwd: ROOT }).map(read).join("\n");
    expect(named.length).to.be.greaterThan(40);
    for (const name of named) expect(tests, name).to.include(`function ${name}(`);
  });

  it("names no test that is not there", () => {
    const tests = globSync("test/contracts/*.t.sol", { cwd: ROOT }).map(read).join("\n");
    const pages = ["threat-model", "known-issues"].map((page) => read(`docs/guard/${page}.md`)).join("\n");
    for (const [, name] of pages.matchAll(/`((?:test|invariant)_?\w+)`/g))
      expect(tests, name).to.include(`function ${name}(`);
  });

  it("names every test that carries out an attack", () => {
    const uses = read("test/contracts/Attacks.t.sol").match(/ fails\b/g);
    // The modifier's own comment and definition do not count.
    expect(carriedOut).to.have.length(uses!.length - 1);
    expect(named).to.include.members(carriedOut);
  });

  it("has a planted defect that lets each attack succeed", () => {
    const killers = new Set(
      DEFECTS.filter(({ killedBy }) => killedBy.includes("AttacksTest.")).map(
        ({ killedBy }) => killedBy.split(".")[1],
      ),
    );
    // Where a token has no code, several checks would have to be missing.
    const withoutDefect = carriedOut.filter((name) => !killers.has(name));
    expect(withoutDefect).to.deep.equal(["test_an_address_without_code_is_no_token"]);
  });
});
