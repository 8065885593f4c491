/** Builds the packages into folders, as npm would unpack them. */
import {
  chmodSync,
  cpSync,
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
import { type Bundle, bundle, type OutputFile } from "./bundle.ts";
import { CONTRACT_FILES, contractFiles, contractsSource } from "./contractSources.ts";
import { declarations } from "./declarations.ts";
import { type Library, librariesIn, noticesOf } from "./libraries.ts";
import { manifestOf, type PackagePlan, rootManifest } from "./plan.ts";

export type Staged = Awaited<ReturnType<typeof stage>>;

/** @param out where a folder of the package's name is made */
export async function stage(plan: PackagePlan, out: string) {
  const { name } = manifestOf(plan);
  const folder = join(out, name);
  const { files, libraries } = plan.folder === "contracts" ? await contracts() : await bundled(plan);
  const notices = libraries.length === 0 ? [] : [{ path: NOTICES, content: noticesOf(libraries) }];
  rmSync(folder, { recursive: true, force: true });
  const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const all = [
    ...files,
    ...notices,
    { path: "LICENSE", content: read("LICENSE") },
    { path: "README.md", content: read(`packages/${plan.folder}/README.md`) },
    {
      path: "package.json",
      content: `${JSON.stringify(publishedManifest(plan, notices.length > 0), null, 2)}\n`,
    },
  ];
  for (const file of all) write(folder, file);
  return { name, folder };
}

const NOTICES = "THIRD-PARTY-NOTICES.md";

/** Sets the modes despite the umask, as they are in the tarball. */
function write(folder: string, { path, content }: OutputFile): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  chmodSync(target, path === "dist/cli.js" ? 0o755 : 0o644);
}

type Made = Awaited<ReturnType<typeof bundled>>;

async function bundled({ folder, program }: PackagePlan) {
  const index = `packages/${folder}/index.ts`;
  const entries = { index: join(ROOT, index) };
  const cli: Record<string, string> = program ? { cli: join(ROOT, `packages/${folder}/cli.ts`) } : {};
  const esm = await bundle({ root: ROOT, entries: { ...entries, ...cli }, format: "esm" });
  const cjs = await bundle({ root: ROOT, entries, format: "cjs" });
  return {
    files: [...esm.files, ...cjs.files, ...declarations(ROOT, index), ...(program ? knownDeployments() : [])],
    libraries: librariesOf(esm, cjs),
  };
}

const librariesOf = (...bundles: readonly Bundle[]): Library[] =>
  librariesIn(bundles.flatMap(({ libraries }) => [...libraries]));

/** The program knows its installation's guards by these records. */
function knownDeployments(): OutputFile[] {
  return globSync("deployments/*.{json,history.jsonl}", { cwd: ROOT })
    .filter((path) => /\/[1-9][0-9]*\.(?:json|history\.jsonl)$/.test(path) && !path.includes("/31337."))
    .sort()
    .map((path) => ({ path, content: readFileSync(join(ROOT, path), "utf8") }));
}

async function contracts(): Promise<Made> {
  const root = mkdtempSync(join(tmpdir(), "assay-contracts-"));
  try {
    const index = "packages/contracts/index.ts";
    write(root, { path: index, content: contractsSource() });
    cpSync(join(ROOT, "packages/contracts/package.json"), join(root, "package.json"));
    const entries = { index: join(root, index) };
    const esm = await bundle({ root, entries, format: "esm" });
    const cjs = await bundle({ root, entries, format: "cjs" });
    return {
      files: [...esm.files, ...cjs.files, ...declarations(root, index), ...contractFiles()],
      libraries: librariesOf(esm, cjs),
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function publishedManifest(plan: PackagePlan, hasNotices: boolean): object {
  const { version, license } = rootManifest();
  const { name, private: isPrivate, description, keywords } = manifestOf(plan);
  const beside = plan.folder === "contracts" ? CONTRACT_FILES : [];
  return {
    name,
    version,
    // While it stands here npm refuses to publish it.
    ...(isPrivate ? { private: true } : {}),
    description,
    keywords,
    license,
    type: "module",
    engines: { node: ">=20" },
    sideEffects: plan.program ? ["./dist/cli.js"] : false,
    ...(plan.program ? { bin: { [name]: "dist/cli.js" } } : {}),
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
    files: ["dist", ...beside, ...(plan.program ? ["deployments"] : []), ...(hasNotices ? [NOTICES] : [])],
  };
}
