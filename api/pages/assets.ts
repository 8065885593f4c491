/** What the build of `web/` left: scripts and styles under names that change with their content. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { z } from "zod";
import { type Finished, finish } from "../http/cache.ts";

/** A file as it is served, immutable. */
export interface Asset {
  readonly contentType: string;
  readonly finished: Finished;
}

export interface WebAssets {
  /** Styles that pages carry in themselves: every page the first one; empty without a build. */
  readonly styles: Readonly<Record<StyleName, string>>;
  /** Why there are no assets; null: they are there. */
  readonly missing: string | null;
  /** The file under `/assets/`. */
  file(name: string): Asset | undefined;
  /** The verifier that anybody can keep, one file, as the build left it; null: it is not there. */
  single(): Single | null;
  /** What an entry of `web/` needs, as addresses; null: the build does not know it. @param entry `islands/token.tsx` */
  entry(entry: string): Entry | null;
}

const STYLES = ["page", "docs", "sign"] as const;
export type StyleName = (typeof STYLES)[number];

export interface Single {
  readonly text: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

const DIST = join(import.meta.dirname, "../../web/dist");
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
/** What the bundler writes of each module. */
const Manifest = z.record(
  z.string(),
  z.looseObject({
    file: z.string(),
    imports: z.array(z.string()).optional(),
  }),
);
type Manifest = z.infer<typeof Manifest>;

/** Reads the build once. A service without one still answers everything else. @param dist where the build is */
export function readAssets(dist = DIST): WebAssets {
  try {
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8")));
    const files = new Map(readdirSync(join(dist, "assets")).flatMap((name) => asset(dist, name)));
    const styleOf = (name: StyleName) => {
      const built = manifest[`styles/${name}.css`];
      return built === undefined ? "" : readFileSync(join(dist, built.file), "utf8").trim();
    };
    const single = readSingle(dist);
    return {
      styles: stylesBy(styleOf),
      missing: null,
      file: (name) => files.get(name),
      single: () => single,
      entry: (entry) => entryOf(manifest, entry),
    };
  } catch (error) {
    return {
      styles: stylesBy(() => ""),
      missing: error instanceof Error ? error.message : String(error),
      file: () => undefined,
      single: () => null,
      entry: () => null,
    };
  }
}

const stylesBy = (textOf: (name: StyleName) => string) =>
  Object.fromEntries(STYLES.map((name) => [name, textOf(name)])) as Record<StyleName, string>;

function readSingle(dist: string): Single | null {
  const path = join(dist, "verify.html");
  if (!existsSync(path)) return null;
  const text = readFileSync(path, "utf8");
  return { text, sha256: createHash("sha256").update(text).digest("hex") };
}

function asset(dist: string, name: string): [string, Asset][] {
  const contentType = TYPES[extname(name)];
  if (contentType === undefined) return [];
  const path = join(dist, "assets", name);
  const finished = finish(readFileSync(path));
  const packed = existsSync(`${path}.br`) ? readFileSync(`${path}.br`) : undefined;
  return [
    [
      name,
      {
        contentType,
        finished: packed
          ? {
              ...finished,
              compressed: (coding) =>
                coding === "br" ? Promise.resolve(packed) : finished.compressed(coding),
            }
          : finished,
      },
    ],
  ];
}

export type Entry = NonNullable<ReturnType<typeof entryOf>>;

function entryOf(manifest: Manifest, entry: string) {
  const own = manifest[entry];
  if (own === undefined) return null;
  const imported = new Set<string>();
  const visit = (names: readonly string[] = []): void => {
    for (const name of names)
      if (!imported.has(name)) {
        imported.add(name);
        visit(manifest[name]?.imports);
      }
  };
  visit(own.imports);
  const chunks = [...imported].flatMap((name) => manifest[name] ?? []);
  return {
    script: `/${own.file}`,
    /** Modules that the script imports: to be asked for at once. */
    preloads: chunks.map(({ file }) => `/${file}`),
  };
}
