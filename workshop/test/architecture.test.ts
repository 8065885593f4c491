/** ARCHITECTURE.md against the tree: what it says stands where, exists. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readRooms } from "../lint/layers.ts";
import { trackedFiles } from "../lint/tracked.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const PAGE = read("ARCHITECTURE.md");
/** Made by the build, or by npm. */
const MADE = new Set(["node_modules", "artifacts", "cache", "types", "coverage", "data"]);
/** Folders without code. */
const NO_ROOMS = new Set(["docs", "deploy", "deployments"]);
const ROOMS = readRooms(PAGE);

describe("ARCHITECTURE.md", () => {
  it("names every top-level folder with code as a room, and no other", () => {
    const folders = new Set(trackedFiles(ROOT, "*/*").map((path) => path.split("/")[0] as string));
    const named = [...folders].filter((name) => !name.startsWith(".") && !NO_ROOMS.has(name));
    expect(ROOMS.map(({ name }) => name)).to.have.members(named);
  });

  for (const { name, readFirst } of ROOMS) {
    it(`names a file of ${name} to read first that is there`, () => {
      expect(readFirst.startsWith(`${name}/`), readFirst).to.equal(true);
      expect(existsSync(join(ROOT, readFirst)), readFirst).to.equal(true);
    });
  }

  it("names functions that their files export", () => {
    const named = [...PAGE.matchAll(/`([\w./]+\.ts)`(?:\]\([\w./]+\))?\s+`(\w+)`/g)];
    expect(named.length).to.be.greaterThan(20);
    for (const [, file, name] of named)
      expect(read(file!), `${file} exports ${name}`).to.match(
        new RegExp(`^export (async )?(function|const)\\*? ${name}\\b`, "m"),
      );
  });

  for (const page of PAGES)
    it(`ARCHITECTURE.md is true of the files and folders that ${page} names`, () => {
      // The layers name the contents of a room; the linter checks them.
      const text = read(page).replace(/^## Layers\n[\s\S]*?(?=^## |(?![\s\S]))/m, "");
      const paths = [...text.matchAll(/`([\w.-]+\/[\w./-]*|[\w.-]+\.(?:tsx?|json|md))`/g)].map(
        ([, path]) => path!,
      );
      expect(paths.length).to.be.greaterThan(5);
      for (const path of paths)
        if (!MADE.has(path.split("/")[0] as string) && !path.startsWith("node:"))
          expect(existsSync(join(ROOT, path)), `${page} names ${path}`).to.equal(true);
    });

  it("names only commands that package.json has", () => {
    const { scripts } = JSON.parse(read("package.json"));
    for (const page of PAGES)
      for (const [, name] of read(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g))
        expect(scripts, `${page} names npm run ${name}`).to.have.property(name!);
  });
});
