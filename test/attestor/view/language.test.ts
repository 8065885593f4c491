/** Words of the pages, in both languages. */
import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { filled, LANGUAGES } from "../../../attestor/view/language.ts";

type Words = string | { readonly [name: string]: Words };

/** Each text by its path, with the gaps that it has. */
const gapsOf = (words: Words, path = ""): string[] =>
  typeof words === "string"
    ? [`${path}: ${[...new Set(words.match(/\{\w*\}/g))].sort()}`]
    : Object.entries(words).flatMap(([name, more]) => gapsOf(more, `${path}.${name}`));

describe("words in both languages", () => {
  for (const path of globSync("web/words/*.json"))
    it(`${path} has each text in both, with the same gaps`, () => {
      const words = JSON.parse(readFileSync(path, "utf8"));
      expect(words).to.have.all.keys(LANGUAGES);
      expect(gapsOf(words.zh)).to.have.members(gapsOf(words.en));
    });

  it("name one thing in the singular, and any other number in the plural", () => {
    const counted = (count: number | string) => filled("{count} {count:entry|entries}", { count });
    expect([0, 1, "1", 2, "1,000"].map(counted)).to.deep.equal([
      ...["0 entries", "1 entry", "1 entry", "2 entries", "1,000 entries"],
    ]);
  });

  it("fill the gaps of a sentence once, and each of them", () => {
    expect(filled("{all} of {all}: {part}", { all: 3, part: "{all}" })).to.equal("3 of 3: {all}");
    expect(() => filled("{part} of {all}", { part: 1 })).to.throw("Nothing is given for {all}");
  });
});
