/** Every page is reached from the README by links. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect } from "chai";
import { trackedFiles } from "../../workshop/lint/tracked.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the documents", () => {
  it("are all reached from README.md by links", () => {
    const reached = new Set(["README.md"]);
    for (const page of reached)
      for (const [, target] of readFileSync(join(ROOT, page), "utf8").matchAll(
        /\]\((?!https?:)([^)#\s]+\.md)/g,
      ))
        reached.add(posix.join(posix.dirname(page), target!));
    expect([...reached]).to.include.members(trackedFiles(ROOT, "docs/*.md"));
  });
});
