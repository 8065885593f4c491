/** What the build of `web/` left: the renderer of the pages, their style, and scripts whose names change with their content. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { z } from "zod";
import type { DocsPage, Entry, PageRenderer } from "../../web/props.ts";
import { type Finished, finish } from "../http/cache.ts";

/** A file as it is served, immutable. */
export interface Asset {
  readonly contentType: string;
  readonly finished: Finished;
}

export interface WebAssets {
  /** Why there are no pages; null: they are there. */
  readonly missing: string | null;
  /** null: the build is not there, and neither is any page. */
  readonly renderer: PageRenderer | null;
  /** Of every page, which carries it in itself. */
  readonly style: string;
  /** The file under `/assets/`. */
  file(name: string): Asset | undefined;
  /** The verifier that anybody can keep, one file, as the build left it; null: it is not there. */
  single(): Single | null;
  /** What an entry of `web/` needs, as addresses; null: the build does not know it. @param entry `islands/token.tsx` */
  entry(entry: string): Entry | null;
  /** Of the page `/docs`; null: it is not installed. */
  readonly viewer: DocsPage["viewer"];
}

export interface Single {
  readonly text: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

const DIST = join(import.meta.dirname, "../../web/dist");
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};
/** What the bundler writes of each module. */
const Manifest = z.record(
  z.string(),
  z.looseObject({ file: z.string(), imports: z.array(z.string()).optional() }),
);
type Manifest = z.infer<typeof Manifest>;

/** Reads the build once. A service without one still answers everything but pages. @param dist where the build is */
export function readAssets(dist = DIST): WebAssets {
  const viewer = readViewer();
  try {
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8")));
    const style = manifest["style.css"]?.file;
    if (style === undefined) throw new Error(`${dist} has no style`);
    const files = new Map(readdirSync(join(dist, "assets")).flatMap((name) => assetIn(dist, name)));
    const single = readSingle(dist);
    return {
      missing: null,
      renderer: createRequire(import.meta.url)(join(dist, "server/server.js")) as PageRenderer,
      style: readFileSync(join(dist, style), "utf8").trim(),
      file: (name) => files.get(name) ?? viewer?.file(name),
      single: () => single,
      entry: (entry) => entryOf(manifest, entry),
      viewer: viewer?.addresses ?? null,
    };
  } catch (error) {
    return {
      missing: error instanceof Error ? error.message : String(error),
      renderer: null,
      style: "",
      file: () => undefined,
      single: () => null,
      entry: () => null,
      viewer: null,
    };
  }
}

function readSingle(dist: string): Single | null {
  const path = join(dist, "verify.html");
  if (!existsSync(path)) return null;
  const text = readFileSync(path, "utf8");
  return { text, sha256: createHash("sha256").update(text).digest("hex") };
}

function assetIn(dist: string, name: string): [string, Asset][] {
  const contentType = TYPES[extname(name)];
  if (contentType === undefined) return [];
  const path = join(dist, "assets", name);
  const finished = finish(readFileSync(path));
  if (!existsSync(`${path}.br`)) return [[name, { contentType, finished }]];
  const packed = Promise.resolve(readFileSync(`${path}.br`));
  const compressed: Finished["compressed"] = (coding) =>
    coding === "br" ? packed : finished.compressed(coding);
  return [[name, { contentType, finished: { ...finished, compressed } }]];
}

function entryOf(manifest: Manifest, entry: string): Entry | null {
  const own = manifest[entry];
  if (own === undefined) return null;
  const imported = new Set<string>();
  const visit = (names: readonly string[] = []): void => {
    for (const name of names) {
      if (imported.has(name)) continue;
      imported.add(name);
      visit(manifest[name]?.imports);
    }
  };
  visit(own.imports);
  const chunks = [...imported].flatMap((name) => manifest[name] ?? []);
  return { script: `/${own.file}`, preloads: chunks.map(({ file }) => `/${file}`) };
}

/** The packaged viewer of OpenAPI documents: two of its files, read when the first reader asks for one. */
function readViewer() {
  const require = createRequire(import.meta.url);
  let manifest: string;
  try {
    manifest = require.resolve("swagger-ui-dist/package.json");
  } catch {
    return null;
  }
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8")));
  const script = `swagger-ui-${version}.js`;
  const style = `swagger-ui-${version}.css`;
  const sources = new Map([
    [script, "swagger-ui-bundle.js"],
    [style, "swagger-ui.css"],
  ]);
  const known = new Map<string, Asset>();
  return {
    addresses: { script: `/assets/${script}`, style: `/assets/${style}` },
    file(name: string): Asset | undefined {
      const source = sources.get(name);
      if (source === undefined) return undefined;
      const asset = known.get(name) ?? {
        contentType: TYPES[extname(name)] ?? "",
        finished: finish(readFileSync(join(dirname(manifest), source))),
      };
      known.set(name, asset);
      return asset;
    },
  };
}
