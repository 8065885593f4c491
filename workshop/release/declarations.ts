/** Declaration files of a package: those of the compiler that its entry leads to, for ES modules and for CommonJS. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { ROOT } from "../../build/buildOnce.ts";
import type { OutputFile } from "./bundle.ts";

const SCHEMA_TYPES = "packages/zodTypes.d.ts";

/**
 * @param root where the entry's sources begin
 * @param entry below it
 * @throws Error with what the compiler says
 */
export function declarations(root: string, entry: string): OutputFile[] {
  const out = mkdtempSync(join(tmpdir(), "assay-types-"));
  try {
    compile(root, entry, out);
    return emitted(out, entry.replace(/\.ts$/, ".d.ts"));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function compile(root: string, entry: string, out: string): void {
  const config = join(out, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rewriteRelativeImportExtensions: true,
    allowImportingTsExtensions: false,
    newLine: "lf",
    rootDir: root,
    outDir: out,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const files = [join(root, entry)];
  writeFileSync(
    config,
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, files, include: [] }),
  );
  const { status, stdout } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", config], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`No declarations of ${entry}:\n${stdout}`);
}

const RELATIVE = /(from\s+|import\s*\(\s*|import\s+)"(\.{1,2}\/[^"]+)\.ts"/g;
const SCHEMA_LIBRARY = /import (?:type )?(?:\{ z \}|\* as z) from "zod";/g;

/** Follows the imports, so that nothing is shipped that nobody reaches. */
function emitted(out: string, entry: string): OutputFile[] {
  const texts = new Map<string, string>();
  const todo = [entry];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (texts.has(path)) continue;
    const inRoot = path === SCHEMA_TYPES ? join(ROOT, path) : join(out, path);
    const text = readFileSync(inRoot, "utf8").replace(
      SCHEMA_LIBRARY,
      () => `import type { z } from "${relativeTo(path as string, SCHEMA_TYPES)}";`,
    );
    texts.set(path, text);
    for (const [, , specifier] of text.matchAll(RELATIVE))
      todo.push(posix.normalize(`${posix.dirname(path)}/${specifier}.d.ts`.replace(/\.d\.d\.ts$/, ".d.ts")));
    const foreign = /(?:from|import)\s*\(?\s*"([^."][^"]*)"/.exec(text)?.[1];
    if (foreign !== undefined) throw new Error(`The types of ${path} need ${foreign}.`);
  }
  return (["js", "cjs"] as const).flatMap((extension) => {
    const suffix = extension === "js" ? ".d.ts" : ".d.cts";
    const tree = [...texts].sort().map(([path, text]) => ({
      path: `dist/types/${path.replace(/\.d\.ts$/, suffix)}`,
      content: text.replace(
        RELATIVE,
        (_, how, specifier) => `${how}"${specifier.replace(/\.d$/, "")}.${extension}"`,
      ),
    }));
    const first = `./types/${entry.replace(/\.d\.ts$/, `.${extension}`)}`;
    return [{ path: `dist/index${suffix}`, content: `export * from "${first}";\n` }, ...tree];
  });
}

/** As an import of a source would name it. */
function relativeTo(from: string, to: string): string {
  const path = relative(dirname(resolve("/", from)), resolve("/", to))
    .split(sep)
    .join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
