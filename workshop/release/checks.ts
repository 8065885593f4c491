/** What a package has to pass before it may go out: publint, the types in every way of resolving them, its size. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "../../build/buildOnce.ts";
import type { Packed } from "./pack.ts";

/** @returns what is wrong, a line each; none where all is well */
export async function faultsOf(packed: Packed): Promise<string[]> {
  const found = [
    ...(await publintFaults(packed)),
    ...typeFaults(packed),
    ...sizeFaults(packed),
    ...pathFaults(packed),
  ];
  return found.map((fault) => `${packed.name}: ${fault}`);
}

async function publintFaults({ folder }: Packed): Promise<string[]> {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

/** @arethetypeswrong/cli: node10, node16 from both kinds of module, bundlers. */
function typeFaults({ path, folder }: Packed): string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  // What is no code has no types.
  const plain = Object.keys(exports).filter((name) => name !== ".");
  const args = [path, "--format", "json", "--exclude-entrypoints", ...plain];
  const { status, stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/attw"), args, {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return [];
  try {
    const { problems } = JSON.parse(stdout) as { problems: Record<string, unknown[]> };
    return Object.entries(problems).map(([kind, all]) => `types: ${kind}: ${JSON.stringify(all)}`);
  } catch {
    return [`types: ${stderr || stdout}`];
  }
}

/** Bytes of `dist/index.js` and what it loads, after gzip: what a page pays for it. */
export function moduleSize(folder: string): number {
  const seen = new Set<string>();
  const todo = ["dist/index.js"];
  let bytes = 0;
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const text = readFileSync(join(folder, path), "utf8");
    bytes += gzipSync(text, { level: 9 }).length;
    for (const [, specifier] of text.matchAll(/^(?:import|export)\b[^;]*?from\s*"(\.[^"]+)"/gm))
      todo.push(normalize(join(dirname(path), specifier as string)));
  }
  return bytes;
}

function sizeFaults({ plan: { limits }, packed, unpacked, folder }: Packed): string[] {
  const sizes = { packed, unpacked, module: moduleSize(folder) };
  return (Object.keys(sizes) as (keyof typeof sizes)[])
    .filter((name) => sizes[name] > limits[name])
    .map((name) => `size: ${name} is ${sizes[name]} bytes, more than ${limits[name]}`);
}

/** No file tells where it was made. */
function pathFaults({ folder, files }: Packed): string[] {
  const places = [ROOT, folder, homedir()].filter((place) => place.length > 1);
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return places.filter((place) => text.includes(place)).map((place) => `${file} names ${place}`);
  });
}
