/**
 * Bundles `web/` into `web/dist/`: for the browser one entry an island and the style, for the server the renderer of all
 * pages, and the verifier as one file.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { type Build, ROOT } from "./buildOnce.ts";
import { singleFile } from "./singleFile.ts";

const WEB_ROOT = join(ROOT, "web");

export const WEB: Build = {
  name: "web",
  sources: [
    "web/**",
    "attestor/**/*.{ts,json}",
    "api/{jobs,data,keys}/{schemas,catalog}.ts",
    "build/{web,singleFile}.ts",
    "scripts/verify/knownGuards.ts",
    "deployments/*.json",
    "deployments/*.history.jsonl",
    "package.json",
    "package-lock.json",
  ],
  without: ["web/dist/**"],
  results: ["web/dist/manifest.json", "web/dist/server/server.js", "web/dist/verify.html"],
  async make() {
    try {
      await bundleIslands();
      // Where the islands' build begins, it empties the folder.
      await bundleServer();
      writeFileSync(join(WEB_ROOT, "dist/verify.html"), await singleFile());
      compress();
      return true;
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      return false;
    }
  },
};

const COMMON = {
  configFile: false,
  root: WEB_ROOT,
  base: "/",
  publicDir: false,
  logLevel: "error",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
} as const;

async function bundleIslands(): Promise<void> {
  // Loaded where it is needed alone: it takes longer than all the looking before.
  const { build } = await import("vite");
  const entries = globSync("islands/*.{ts,tsx}", { cwd: WEB_ROOT }).sort();
  await build({
    ...COMMON,
    build: {
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      outDir: join(WEB_ROOT, "dist"),
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
async function bundleServer(): Promise<void> {
  const { build } = await import("vite");
  await build({
    ...COMMON,
    ssr: { noExternal: true },
    build: {
      ssr: join(WEB_ROOT, "server.tsx"),
      outDir: join(WEB_ROOT, "dist/server"),
      target: "node24",
      rolldownOptions: { output: { entryFileNames: "server.js" } },
    },
  });
}

/** Once and as small as it gets, where the service would do it at each start and faster. */
function compress(): void {
  for (const path of globSync("dist/assets/*.{js,css}", { cwd: WEB_ROOT })) {
    const bytes = readFileSync(join(WEB_ROOT, path));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(WEB_ROOT, `${path}.br`), brotliCompressSync(bytes, { params }));
  }
}
