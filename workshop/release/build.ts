/** Builds an npm package into a folder, which npm then packs whole. */
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../../build/buildOnce.ts";
import { bundle, type OutputFile } from "./bundle.ts";
import { contractFiles, contractsSource } from "./contracts.ts";
import { declarations } from "./declarations.ts";
import { noticesOf } from "./notices.ts";

/** Folders of `packages/`. */
export const PACKAGES = ["client", "verify", "contracts"] as const;
export type Package = (typeof PACKAGES)[number];

export interface Built {
  readonly name: string;
  readonly folder: string;
}

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** @param out where a folder of the package's name is made */
export async function buildPackage(source: Package, out: string): Promise<Built> {
  const hasProgram = existsSync(join(ROOT, `packages/${source}/cli.ts`));
  const { code, libraries } = await codeOf(source, hasProgram);
  const beside = source === "contracts" ? contractFiles() : [];
  const manifest = manifestOf(
    source,
    hasProgram,
    beside.map(({ path }) => path),
  );
  const files = [...code, ...beside];
  if (hasProgram) files.push(...knownDeployments());
  if (libraries.size > 0) files.push({ path: "THIRD-PARTY-NOTICES.md", content: noticesOf(libraries) });
  files.push({ path: "LICENSE", content: read("LICENSE") });
  files.push({ path: "README.md", content: read(`packages/${source}/README.md`) });
  files.push({ path: "package.json", content: `${JSON.stringify(manifest, null, 2)}\n` });

  const folder = join(out, manifest.name);
  rmSync(folder, { recursive: true, force: true });
  for (const file of files) write(folder, file);
  return { name: manifest.name, folder };
}

function write(folder: string, { path, content }: OutputFile): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

/** JavaScript for both kinds of modules, its types, and the folders of the libraries that are in it. */
async function codeOf(source: Package, hasProgram: boolean) {
  const index = `packages/${source}/index.ts`;
  const root = source === "contracts" ? writtenContracts(index) : ROOT;
  try {
    const entries: Record<string, string> = { index: join(root, index) };
    const cjs = await bundle({ root, entries, format: "cjs" });
    // Nobody requires the program.
    if (hasProgram) entries.cli = join(root, `packages/${source}/cli.ts`);
    const esm = await bundle({ root, entries, format: "esm" });
    return {
      code: [...esm.files, ...cjs.files, ...declarations(root, index)],
      libraries: new Set([...esm.libraries, ...cjs.libraries]),
    };
  } finally {
    if (root !== ROOT) rmSync(root, { recursive: true, force: true });
  }
}

/** @returns a folder where the sources of `assay-contracts` are */
function writtenContracts(index: string): string {
  const root = mkdtempSync(join(tmpdir(), "assay-contracts-"));
  write(root, { path: index, content: contractsSource() });
  cpSync(join(ROOT, "packages/contracts/package.json"), join(root, "package.json"));
  return root;
}

/** The program knows its installation's guards by these records. */
function knownDeployments(): OutputFile[] {
  return globSync("deployments/*.{json,history.jsonl}", { cwd: ROOT })
    .filter((path) => /\/[1-9][0-9]*\.(?:json|history\.jsonl)$/.test(path) && !path.includes("/31337."))
    .sort()
    .map((path) => ({ path, content: read(path) }));
}

/** What is written by hand is in `packages/<source>/package.json`. @param beside files that users name */
function manifestOf(source: Package, hasProgram: boolean, beside: readonly string[]) {
  const { version, license } = JSON.parse(read("package.json"));
  const {
    name,
    private: isPrivate,
    description,
    keywords,
  } = JSON.parse(read(`packages/${source}/package.json`));
  return {
    name,
    version,
    // While it is true npm refuses to publish it.
    private: isPrivate,
    description,
    keywords,
    license,
    type: "module",
    engines: { node: ">=20" },
    sideEffects: hasProgram ? ["./dist/cli.js"] : false,
    bin: hasProgram ? { [name]: "dist/cli.js" } : undefined,
    main: "./dist/index.cjs",
    module: "./dist/index.js",
    types: "./dist/index.d.ts",
    exports: {
      ".": {
        import: { types: "./dist/index.d.ts", default: "./dist/index.js" },
        require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" },
      },
      ...Object.fromEntries([...beside, "package.json"].map((path) => [`./${path}`, `./${path}`])),
    },
  };
}
