/** Bundles the verifier that anybody can keep into one HTML file that loads nothing: script and style are inline. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installation, knownGuards } from "../scripts/verify/knownGuards.ts";
import { ROOT } from "./buildOnce.ts";
import { reading } from "./reading.ts";

const JSX = { jsx: { runtime: "automatic", importSource: "preact" } } as const;
const VERIFIER_ROOT = join(ROOT, "web/verifier");

/**
 * @param modules takes what the bundler reads
 * @returns the file's text. The same sources and packages give the same text.
 */
export async function singleFile(modules = new Set<string>()): Promise<string> {
  const { build } = await import("vite");
  const { viteSingleFile } = await import("vite-plugin-singlefile");
  const known = await knownTexts();
  const page = await prerendered(known, modules);
  const made = await build({
    configFile: false,
    root: VERIFIER_ROOT,
    base: "../workshop/",
    publicDir: false,
    logLevel: "error",
    define: { KNOWN_GUARDS: JSON.stringify(known), VERIFIER_VERSION: JSON.stringify(version()) },
    oxc: JSX,
    plugins: [
      reading(modules),
      { name: "prerendered", transformIndexHtml: (html) => html.replace("<!--page-->", () => page) },
      viteSingleFile({ useRecommendedBuildConfig: true, removeViteModuleLoader: true }),
    ],
    worker: { plugins: () => [reading(modules)] },
    build: { write: false, target: "es2022", modulePreload: { polyfill: false }, cssMinify: true },
  });
  const [file, ...more] = (Array.isArray(made) ? made : [made]).flatMap((each) =>
    "output" in each ? each.output : [],
  );
  if (file?.type !== "asset" || more.length > 0) throw new Error("the verifier did not come to one file");
  return withPolicy(scriptLast(String(file.source)));
}

/** Behind all that it works on: a browser shows the page while the script is still on its way. */
function scriptLast(text: string): string {
  const [script = ""] = /<script[\s\S]*?<\/script>\n?/.exec(text) ?? [];
  return text.replace(script, "").replace("</body>", () => `${script}</body>`);
}

/** What the file shows before its script runs, by the same components. */
async function prerendered(known: Known, modules: Set<string>): Promise<string> {
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport<{ prerender(known: Known, version: string): string }>(
    join(VERIFIER_ROOT, "prerender.tsx"),
    {
      configFile: false,
      root: VERIFIER_ROOT,
      publicDir: false,
      logLevel: "error",
      oxc: JSX,
      plugins: [reading(modules)],
    },
  );
  return module.prerender(known, version());
}

/** In the head, before all that it is about. */
function withPolicy(text: string): string {
  const hashes = (tag: string) =>
    [...text.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, "g"))]
      .map(([, content = ""]) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`)
      .join(" ");
  const policy = [
    "default-src 'none'",
    `script-src ${hashes("script")}`,
    `style-src ${hashes("style")}`,
    "worker-src blob:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return text.replace(/(<meta charset="utf-8">)/, (charset) => `${charset}\n${meta}`);
}

const version = (): string => JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;

type Known = Awaited<ReturnType<typeof knownTexts>>;

/** The guards of `deployments/`, as text; the local world's is nobody's but this machine's. */
async function knownTexts() {
  const { deployments } = installation({});
  const known = await knownGuards({ deployments, dataDir: join(ROOT, "no such folder") });
  const { vkeyText } = await import("../attestor/log/note.ts");
  return known.map(({ logKeys, registry, codeHash: _, deployedAtBlock: __, ...record }) => ({
    ...record,
    ...(logKeys === undefined ? {} : { logKeys: logKeys.map(vkeyText) }),
    ...(registry === undefined ? {} : { registry: JSON.stringify(registry) }),
  }));
}
