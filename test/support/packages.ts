/** The npm packages as their users have them: packed, installed in an empty folder, run by other programs than this one. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildOnce, ROOT } from "../../build/buildOnce.ts";
import { buildPackage, PACKAGES } from "../../workshop/release/build.ts";
import { pack } from "../../workshop/release/pack.ts";

const BUILT = join(ROOT, "cache/packages");
const RUNTIMES = join(ROOT, "cache/runtimes");

export type PackageName = "assay-client" | "assay-verify" | "assay-contracts";

/** Builds and packs them where sources have changed. @returns where the tarballs lie */
export async function packedFiles(): Promise<Readonly<Record<PackageName, string>>> {
  const made = await buildOnce({
    name: "packages",
    sources: [
      "{attestor,client,cli,chain,packages}/**/*.{ts,json,md}",
      "api/**/*.ts",
      "contracts/*.sol",
      "deployments/*.json*",
      "workshop/release/*.ts",
      "{package,package-lock}.json",
      "LICENSE",
    ],
    results: ["cache/packages"],
    async make() {
      // On an overloaded machine a lock may look stale, so each builder uses its own folder.
      const draft = `${BUILT}-${process.pid}`;
      for (const source of PACKAGES) pack(await buildPackage(source, join(draft, "packages")), draft);
      rmSync(BUILT, { recursive: true, force: true });
      renameSync(draft, BUILT);
      return true;
    },
  });
  if (!made) throw new Error("the packages were not built");
  const tarball = (name: string) =>
    join(BUILT, readdirSync(BUILT).find((file) => file.startsWith(`${name}-`) && file.endsWith(".tgz"))!);
  return {
    "assay-client": tarball("assay-client"),
    "assay-verify": tarball("assay-verify"),
    "assay-contracts": tarball("assay-contracts"),
  };
}

/** Of the last `packedFiles`. */
export const unpackedFolder = (name: PackageName): string => join(BUILT, "packages", name);

/** npm of this machine, without what a test's environment tells it of this project. */
export function npm(folder: string, ...args: string[]): { status: number | null; output: string } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const { status, stdout, stderr } = spawnSync("npm", [...args, ...quiet], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

/** An empty folder outside of the project, with packages installed from their tarballs. */
export async function installed(...names: PackageName[]): Promise<string> {
  const files = await packedFiles();
  const folder = mkdtempSync(join(tmpdir(), "assay-installed-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const { status, output } = npm(folder, "install", ...names.map((name) => files[name]));
  if (status !== 0) throw new Error(output);
  return folder;
}

/**
 * A program of the registry in one version, fetched once. Where the registry is unreachable the test is skipped with a
 * line that says so; where CI is set it fails.
 * @param spec such as `node@20.0.0`
 * @param name of its program, where that is not the package's
 * @returns its file
 */
export function runtime(test: Mocha.Context, spec: string, name = spec.split("@")[0] as string): string {
  const folder = join(RUNTIMES, spec);
  const program = join(folder, "node_modules/.bin", name);
  if (existsSync(program)) return program;
  mkdirSync(RUNTIMES, { recursive: true });
  // Two test files may want it at once: the first one wins.
  const draft = mkdtempSync(join(RUNTIMES, "draft-"));
  writeFileSync(join(draft, "package.json"), JSON.stringify({ private: true }));
  const { status, output } = npm(draft, "install", spec);
  try {
    if (status === 0) renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(program)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  if (existsSync(program)) return program;
  const line = `${spec} cannot be had from the registry, so nothing is run in it`;
  if (process.env.CI) throw new Error(`${line}:\n${output}`);
  console.log(`    ${line}`);
  test.skip();
}

/** Runs a script in a folder to its end. */
export function runIn(
  folder: string,
  program: string,
  args: readonly string[],
  script?: string,
): { status: number | null; output: string } {
  if (script !== undefined) writeFileSync(join(folder, args.at(-1)!), script);
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: "1" },
  });
  return { status, output: stdout + stderr };
}

/** Names that a module of a package exports, by its declarations: values and types. */
export function exportedNames(name: PackageName): string[] {
  const index = readFileSync(join(unpackedFolder(name), "dist/index.d.ts"), "utf8");
  const [, entry = ""] = /from "\.\/(.+)\.js"/.exec(index) ?? [];
  const text = readFileSync(join(unpackedFolder(name), "dist", `${entry}.d.ts`), "utf8");
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) =>
    names!.split(",").map((one) => one.trim().replace(/^type /, "")),
  );
  const declared = [...text.matchAll(/^export (?:declare )?(?:const|function|interface|type) (\w+)/gm)];
  return [...listed, ...declared.map(([, one]) => one!)].filter((one) => one !== "");
}
