/**
 * Whether what is committed compiled and bundled is what the sources come to: compiles and bundles anew, and prints every
 * file that differs. Compressed files count by what they contain, since each version of a compressor writes its own.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { buildOnce, ROOT } from "../build/buildOnce.ts";
import { COMPILED, compiledFiles } from "../build/compiled.ts";
import { CONTRACTS } from "../build/contracts.ts";
import { bundlePages, PAGES } from "../build/web.ts";

const contentOf = (path: string): Buffer => {
  const bytes = readFileSync(path);
  return path.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
};

const filesIn = (folder: string): string[] => globSync("**/*.*", { cwd: folder }).sort();

async function contracts(): Promise<string[]> {
  if (!(await buildOnce(CONTRACTS, "Compiling contracts"))) return [COMPILED];
  const wanted = compiledFiles();
  const folder = join(ROOT, COMPILED);
  const names = new Set([...wanted.keys(), ...filesIn(folder)]);
  return [...names]
    .filter((name) => {
      const path = join(folder, name);
      return !existsSync(path) || readFileSync(path, "utf8") !== wanted.get(name);
    })
    .map((name) => `${COMPILED}/${name}`);
}

async function pages(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "assay-pages-"));
  try {
    await bundlePages(folder);
    const committed = join(ROOT, PAGES);
    const names = new Set([...filesIn(folder), ...filesIn(committed)]);
    return [...names]
      .filter((name) => {
        const [here, there] = [join(folder, name), join(committed, name)];
        return !existsSync(here) || !existsSync(there) || !contentOf(here).equals(contentOf(there));
      })
      .map((name) => `${PAGES}/${name}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const different = [...(await contracts()), ...(await pages())];
for (const path of different) console.error(`${path} is not what its sources come to`);
if (different.length > 0) console.error("npm run build writes them.");
process.exitCode = different.length === 0 ? 0 : 1;
