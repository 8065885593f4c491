/** The generated pages are those that the programs give today. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { generatedPages } from "../../workshop/reference.ts";

describe("generated pages", () => {
  for (const [path, text] of Object.entries(generatedPages()))
    it(`${path} is what npm run reference writes`, () => {
      expect(readFileSync(join(import.meta.dirname, "../..", path), "utf8")).to.equal(text);
    });
});
