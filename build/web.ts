/**
 * Bundles `web/`: for the browser one entry an island and the style, for the server the renderer of all pages, and the
 * verifier as one file. The bundles are committed in `web/dist`, so a start needs no bundler.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { InlineConfig } from "vite";
import { ROOT } from "./buildOnce.ts";
import { reading } from "./reading.ts";
import { singleFile } from "./singleFile.ts";
import { sourceHashes } from "./sources.mjs";

/** Where the bundles are committed. */
export const PAGES = "web/dist";

const WEB_ROOT = join(ROOT, "web");

/** What the verifier has of the guards that are deployed. */
const RECORDS = "deployments/*.{json,history.jsonl}";
const LOCAL_RECORDS = "deployments/31337.*";

/**
 * @param folder becomes the bundles' alone
 * @throws Error where a source cannot be bundled
 */
export async function bundlePages(folder: string): Promise<void> {
  const modules = new Set<string>();
  // Emptied by the islands' build, which therefore comes first.
  await bundleIslands(folder, modules);
  await bundleServer(folder, modules);
  writeFileSync(join(folder, "verify.html"), await singleFile(modules));
  compress(folder);
  const ours = [...modules]
    .map((id) => relative(ROOT, id.split("?")[0]!))
    .filter((path) => !path.startsWith("..") && !path.includes("node_modules") && !path.includes("\0"));
  const records = globSync(RECORDS, { cwd: ROOT, exclude: [LOCAL_RECORDS] });
  const sources = sourceHashes(ROOT, [...new Set([...ours, ...records])].sort());
  writeFileSync(join(folder, "build.json"), `${JSON.stringify({ sources }, null, 1)}\n`);
}

const common = (modules: Set<string>): InlineConfig => ({
  configFile: false,
  root: WEB_ROOT,
  base: "/",
  publicDir: false,
  logLevel: "error",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [reading(modules)],
  worker: { plugins: () => [reading(modules)] },
});

async function bundleIslands(folder: string, modules: Set<string>): Promise<void> {
  // Loaded where it is needed alone: it takes longer than all the looking before.
  const { build } = await import("vite");
  const entries = globSync("islands/*.{ts,tsx}", { cwd: WEB_ROOT }).sort();
  await build({
    ...common(modules),
    build: {
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      outDir: folder,
      emptyOutDir: true,
      assetsDir: "assets",
      // Never as data: addresses, which the pages' policy does not let scripts and styles come from.
      assetsInlineLimit: 0,
      manifest: "manifest.json",
      modulePreload: { polyfill: false },
      target: "es2022",
      rolldownOptions: {
        input: [...entries, "style.css"].map((path) => join(WEB_ROOT, path)),
        output: {
          entryFileNames: "assets/[name]-[hash].js",
          chunkFileNames: "assets/[name]-[hash].js",
          assetFileNames: "assets/[name]-[hash][extname]",
        },
      },
    },
  });
}

/** With all that it imports: a service at work has neither Preact nor Vite. */
async function bundleServer(folder: string, modules: Set<string>): Promise<void> {
  const { build } = await import("vite");
  mkdirSync(join(folder, "server"), { recursive: true });
  await build({
    ...common(modules),
    ssr: { noExternal: true },
    build: {
      ssr: join(WEB_ROOT, "server.tsx"),
      outDir: join(folder, "server"),
      target: "node24",
      rolldownOptions: { output: { entryFileNames: "server.js" } },
    },
  });
}

/** Once and as small as it gets, where the service would do it at each start and faster. */
function compress(folder: string): void {
  for (const path of globSync("assets/*.{js,css}", { cwd: folder })) {
    const bytes = readFileSync(join(folder, path));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(bytes, { params }));
  }
}
