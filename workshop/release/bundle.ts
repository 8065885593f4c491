/**
 * The JavaScript of a package: one ES module and one CommonJS module with everything in them. What is bundled is the same
 * wherever it runs, needs no tool in a browser, and can be required by every Node 20, which cannot require ES modules of
 * others. It has no source maps, which would be more than half of a package: names stay as they are, so that the trace of an
 * error can be read without one.
 */
import { builtinModules } from "node:module";
import { join } from "node:path";

export interface OutputFile {
  /** Below the package. */
  readonly path: string;
  readonly content: string;
}

export interface Bundle {
  readonly files: readonly OutputFile[];
  /** Folders below `node_modules` that something was taken from. */
  readonly libraries: ReadonlySet<string>;
}

export interface BundleInput {
  /** Where sources' names begin. */
  readonly root: string;
  /** By the name of the result. */
  readonly entries: Readonly<Record<string, string>>;
  readonly format: "esm" | "cjs";
}

const NODE_MODULES = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);

/** @throws Error for an unresolved import, and for every other warning of the bundler */
export async function bundle({ root, entries, format }: BundleInput): Promise<Bundle> {
  // Loaded where it is needed alone: it takes a while.
  const { rolldown } = await import("rolldown");
  const extension = format === "esm" ? "js" : "cjs";
  const build = await rolldown({
    cwd: root,
    input: { ...entries },
    platform: "neutral",
    external: (id) => NODE_MODULES.has(id),
    resolve: {
      mainFields: ["module", "main"],
      conditionNames: ["import", "default"],
      // Comments contain names of modules: where node_modules is a link they would lead out of the project.
      symlinks: false,
    },
    onLog(level, log) {
      if (level === "warn" && log.code !== "EVAL") throw new Error(log.message);
    },
  });
  // Where it would be written to: nothing is, but paths are relative to it.
  const folder = join(root, "dist");
  const { output } = await build.generate({
    dir: folder,
    format,
    exports: "named",
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: true, jsdoc: false },
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `chunks/[name].${extension}`,
  });
  await build.close();
  const files: OutputFile[] = [];
  const libraries = new Set<string>();
  for (const part of output) {
    if (part.type !== "chunk") throw new Error(`${part.fileName} is no JavaScript.`);
    files.push({ path: `dist/${part.fileName}`, content: part.code });
    for (const id of Object.keys(part.modules)) {
      const library = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0];
      if (library !== undefined) libraries.add(library);
    }
  }
  return { files, libraries };
}
