/** A page longer than a screen begins with links to its sections. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { trackedFiles } from "../../workshop/lint/tracked.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Lines that a reader sees at once. */
const SCREEN = 60;

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

describe("contents lists", () => {
  for (const page of trackedFiles(ROOT, "docs/*.md")) {
    const text = readFileSync(join(ROOT, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
    if (text.split("\n").length <= SCREEN) continue;
    it(`${page} lists its sections at the top`, () => {
      const [top = ""] = text.split(/^## /m);
      const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => anchorOf(heading!));
      const missing = sections.filter((anchor) => !top.includes(`(#${anchor})`));
      expect(missing).to.deep.equal([]);
    });
  }
});
