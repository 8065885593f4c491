/** The English of README and docs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { trackedFiles } from "../../workshop/lint/tracked.ts";
import { faultsOf, plain } from "../support/english.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Not edited yet, or written for models and release notes. The specification defines terms, which a rule of style would break. */
const LATER = [/^api\//, /^docs\/(?:pages|spec\/verification)\.md$/];
const pages = trackedFiles(ROOT, "*.md").filter((page) => !LATER.some((pattern) => pattern.test(page)));

/** Paragraphs, list items, headings and cells of tables: what no sentence reaches beyond. */
function blocksOf(text: string): string[] {
  const lines = text
    .replace(/^```[\s\S]*?^\s*```$/gm, "\n")
    .replace(/^ {3,}```[\s\S]*?^ {3,}```$/gm, "\n")
    .split("\n");
  const blocks: string[] = [""];
  for (const line of lines) {
    // The help of each metric is `api/metrics/metrics.json`.
    if (line.startsWith("| `assay_")) continue;
    // A cell is a list, and so are links with dots between.
    if (line.startsWith("|")) blocks.push(...line.split(/(?<!\\)\||; /), "");
    else if (/^\s*(?:[-*]|\d+\.) /.test(line)) blocks.push(line.replace(/^\s*(?:[-*]|\d+\.) /, ""));
    else if (line.trim() === "" || line.startsWith("#")) blocks.push(line, "");
    else blocks[blocks.length - 1] += ` ${line.trim()}`;
  }
  return blocks.flatMap((block) => plain(block).split(" · ")).filter((block) => block.trim() !== "");
}

describe("the English of README and docs", () => {
  for (const page of pages)
    it(`${page} has short sentences and none of the words and spellings that the list bans`, () => {
      const blocks = blocksOf(readFileSync(join(ROOT, page), "utf8"));
      expect(blocks.flatMap(faultsOf)).to.deep.equal([]);
    });
});
