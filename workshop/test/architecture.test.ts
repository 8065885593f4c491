/** ARCHITECTURE.md against the tree: what it says stands where, exists, and imports what it says. */
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";

const ROOT = join(import.meta.dirname, "../..");
const PAGES = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const PAGE = read("ARCHITECTURE.md");
/** Made by the build, or by npm. */
const MADE = new Set(["node_modules", "artifacts", "cache", "types", "coverage", "data"]);
/** Folders without code. */
const NO_ROOMS = new Set(["docs", "deploy", "deployments"]);
const SCHEMAS_OF_API = new Set([
  "api/jobs/schemas.ts",
  "api/jobs/catalog.ts",
  "api/data/schemas.ts",
  "api/keys/schemas.ts",
]);

interface Room {
  readonly name: string;
  readonly readFirst: string;
  /** null: anything. */
  readonly mayImport: ReadonlySet<string> | null;
  readonly schemasOfApi: boolean;
}

const ROOMS: readonly Room[] = [...PAGE.matchAll(/^\| `(\w+)` \| [^|]+ \| `([^`]+)` \| ([^|]+) \|$/gm)].map(
  ([, name, readFirst, rule]) => ({
    name: name as string,
    readFirst: readFirst as string,
    mayImport:
      rule === "anything" ? null : new Set([...(rule as string).matchAll(/`(\w+)`/g)].map(([, to]) => to!)),
    schemasOfApi: /the schemas of `api`/.test(rule as string),
  }),
);

const sourcesOf = (room: string) =>
  globSync(`${room}/**/*.{ts,tsx,mjs}`, { cwd: ROOT }).filter(
    (path) => !path.includes("node_modules") && !path.startsWith("web/dist"),
  );

/** Files of ours that a file imports. */
function importsOf(path: string): string[] {
  const specifiers = read(path).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...specifiers].map(([, specifier]) => normalize(join(dirname(path), specifier!)));
}

describe("ARCHITECTURE.md", () => {
  it("names every top-level folder with code as a room, and no other", () => {
    const folders = readdirSync(ROOT).filter(
      (name) =>
        !name.startsWith(".") &&
        !MADE.has(name) &&
        !NO_ROOMS.has(name) &&
        statSync(join(ROOT, name)).isDirectory(),
    );
    expect(ROOMS.map(({ name }) => name)).to.have.members(folders);
  });

  for (const { name, readFirst, mayImport, schemasOfApi } of ROOMS) {
    it(`names a file of ${name} to read first that is there`, () => {
      expect(readFirst.startsWith(`${name}/`), readFirst).to.equal(true);
      expect(existsSync(join(ROOT, readFirst)), readFirst).to.equal(true);
    });

    if (mayImport !== null)
      it(`says in ARCHITECTURE.md what ${name} imports`, () => {
        const beyond = sourcesOf(name).flatMap((file) =>
          importsOf(file)
            .filter((target) => {
              const room = target.split("/")[0] as string;
              // package.json, and the generated types of the contracts, are nobody's room.
              if (room === name || !ROOMS.some((other) => other.name === room)) return false;
              return !(
                mayImport.has(room) &&
                (room !== "api" || !schemasOfApi || SCHEMAS_OF_API.has(target))
              );
            })
            .map((target) => `${file} imports ${target}`),
        );
        expect(beyond).to.deep.equal([]);
      });
  }

  it("names functions that their files export", () => {
    const named = [...PAGE.matchAll(/`([\w./]+\.ts)`\s+`(\w+)`/g)];
    expect(named.length).to.be.greaterThan(20);
    for (const [, file, name] of named)
      expect(read(file!), `${file} exports ${name}`).to.match(
        new RegExp(`^export (async )?(function|const)\\*? ${name}\\b`, "m"),
      );
  });

  for (const page of PAGES)
    it(`ARCHITECTURE.md is true of the files and folders that ${page} names`, () => {
      const paths = [...read(page).matchAll(/`([\w.-]+\/[\w./-]*|[\w.-]+\.(?:tsx?|json|md))`/g)].map(
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

  it("says the truth about cycles: there are none, types included", () => {
    const files = ROOMS.flatMap(({ name }) => sourcesOf(name));
    const graph = new Map(files.map((file) => [file, importsOf(file)]));
    const done = new Set<string>();
    const visit = (file: string, way: readonly string[]): void => {
      expect(way, [...way, file].join(" -> ")).not.to.include(file);
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...way, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });
});

describe("the choices in README.md", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const choices = /## Choices[\s\S]*?(?=\n## )/.exec(read("README.md"))?.[0] ?? "";

  for (const absent of ["sqlite3", "@nomicfoundation/hardhat-toolbox", "typechain"])
    it(`name ${absent}, which the design asks for and the project does without`, () => {
      expect({ ...dependencies, ...devDependencies }).to.not.have.property(absent);
      expect(choices).to.contain(`\`${absent}\``);
    });
});
