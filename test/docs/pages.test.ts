/**
 * The pages as a reader goes through them. Links, and mentions of a page elsewhere, lead to what is there. Every page is
 * reached, and a long one begins with its contents.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect } from "chai";
import { trackedFiles } from "../../workshop/lint/tracked.ts";

const ROOT = join(import.meta.dirname, "../..");
const files = trackedFiles(ROOT).filter((path) => existsSync(join(ROOT, path)));
const pages = files.filter((path) => path.endsWith(".md") && !path.startsWith("api/"));
const texts = new Map(pages.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));

const docs = trackedFiles(ROOT, "docs/*.md");
const README = texts.get("README.md")!;
/** Lines that a reader sees at once. */
const SCREEN = 60;

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

const linksIn = (text: string) =>
  withoutCode(text).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g);
const fileOf = (page: string, target: string) =>
  target === "" ? page : posix.join(posix.dirname(page), target);

describe("the documents", () => {
  for (const [page, text] of texts)
    it(`${page} links to files and headings that exist`, () => {
      const faults = [...linksIn(text)].flatMap(
        ([, target, place]) => faultOf(fileOf(page, target!), place) ?? [],
      );
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

  it("are all reached from README.md by links", () => {
    const reached = new Set(["README.md"]);
    for (const page of reached)
      for (const [, target] of linksIn(texts.get(page)!))
        if (target!.endsWith(".md")) reached.add(fileOf(page, target!));
    expect([...reached]).to.include.members(docs);
  });

  for (const page of docs) {
    const text = withoutCode(texts.get(page)!);
    if (text.split("\n").length <= SCREEN) continue;
    it(`${page} lists its sections at the top`, () => {
      const [top = "", ...sections] = text.split(/^## /m);
      const anchors = sections.flatMap((section) => [...anchorsOf(`## ${section.split("\n")[0]}`)]);
      expect(anchors.filter((anchor) => !top.includes(`(#${anchor})`))).to.deep.equal([]);
    });
  }

  it("show the agent's first trade in README.md as docs/first-trade.md does, in eight lines", () => {
    const block = README.slice(README.indexOf("intent     ")).split("```")[0]!;
    const steps = block.split("\n").filter((line) => /^[a-z]+ {2,}/.test(line));
    expect(steps).to.have.length(8);
    expect(texts.get("docs/first-trade.md")!.split("\n")).to.include.members(steps);
  });
});
