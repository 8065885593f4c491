import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { weakenedSources } from "../../workshop/mutate/weaken.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the weakened guard of the attack tests", () => {
  it("is what workshop/mutate/weaken.ts makes of the guard as it is now", () => {
    for (const [path, source] of Object.entries(weakenedSources()))
      expect(readFileSync(join(ROOT, path), "utf8"), `npm run build makes it: ${path}`).to.equal(source);
  });
});
