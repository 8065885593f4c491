/** What a rule can check of the English in README and docs: length of sentences, words that no one writes, one spelling each. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { trackedFiles } from "../../workshop/lint/tracked.ts";
import STYLE from "./style.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "../..");
const MOST_WORDS = 30;
/** Not edited yet, or written for models and release notes. The specification defines terms, which a rule of style would break. */
const LATER = [/^api\//, /^docs\/(?:pages|spec\/verification)\.md$/];
const pages = trackedFiles(ROOT, "*.md").filter((page) => !LATER.some((pattern) => pattern.test(page)));

/** A code span, a link's address and a number are no prose; each span counts as one word. */
const plain = (text: string) =>
  text
    .replace(/`[^`]*`/g, "CODE")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, "");

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

const sentencesOf = (block: string) => block.trim().split(/(?<=[.!?:])\s+(?=[A-Z(“"0-9])/);
const wordsIn = (sentence: string) =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

describe("the English of README and docs", () => {
  for (const page of pages)
    it(`${page} has short sentences and none of the words and spellings that the list bans`, () => {
      const faults: string[] = [];
      for (const block of blocksOf(readFileSync(join(ROOT, page), "utf8"))) {
        for (const sentence of sentencesOf(block)) {
          const words = wordsIn(sentence);
          if (words > MOST_WORDS) faults.push(`${words} words: ${sentence}`);
          const opening = STYLE.openings.find((word) => sentence.startsWith(`${word} `));
          if (opening !== undefined && !sentence.endsWith("?"))
            faults.push(`begins with ${opening}: ${sentence}`);
        }
        for (const [pattern, instead] of Object.entries({ ...STYLE.banned, ...STYLE.spelling })) {
          const found = new RegExp(pattern, "i").exec(block);
          if (found !== null) faults.push(`"${found[0]}" (${instead}): ${block}`);
        }
      }
      expect(faults).to.deep.equal([]);
    });
});
