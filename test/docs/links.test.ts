/** Links and file names in every page, and every mention of a page elsewhere: what they lead to is there. */
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect } from "chai";
import { trackedFiles } from "../../workshop/lint/tracked.ts";

const ROOT = join(import.meta.dirname, "../..");
const files = trackedFiles(ROOT).filter((path) => existsSync(join(ROOT, path)));
const pages = files.filter((path) => path.endsWith(".md") && !path.startsWith("api/"));
const texts = new Map(pages.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "");

/** As hosts of Markdown make them; a second heading of the same words gets `-1`. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
    const anchor = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
  return new Set(anchors);
}

/** @returns what is wrong with the link; null: nothing */
function faultOf(file: string, place: string | undefined): string | null {
  if (!existsSync(join(ROOT, file))) return `${file} is missing`;
  const text = texts.get(file);
  if (place === undefined || text === undefined) return null;
  return anchorsOf(text).has(place) ? null : `${file} has no heading #${place}`;
}

describe("links in the documents", () => {
  for (const [page, text] of texts)
    it(`${page} links to files and headings that exist`, () => {
      const links = withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g);
      const faults = [...links].flatMap(([, target, place]) => {
        const file = target === "" ? page : posix.join(posix.dirname(page), target!);
        return faultOf(file, place) ?? [];
      });
      expect(faults).to.deep.equal([]);
    });

  it("pages that code, settings and help texts name exist, with the heading that they name", () => {
    const faults: string[] = [];
    for (const file of files) {
      if (file.startsWith("test/docs/") || /\.(png|gz|lock)$/.test(file)) continue;
      const text = readFileSync(join(ROOT, file), "utf8");
      for (const [, page, place] of text.matchAll(
        /(?<![\w/-])(docs\/[\w/-]+\.md)(?:#([a-z0-9-]+)(?![a-z0-9-$]))?/g,
      )) {
        const fault = faultOf(page!, place);
        if (fault !== null) faults.push(`${file}: ${fault}`);
      }
    }
    expect(faults).to.deep.equal([]);
  });
});
