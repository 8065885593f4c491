/**
 * `npm run build`: compiles the contracts and bundles the pages, and writes what is committed of both, so that a start does
 * neither.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildOnce, ROOT } from "./buildOnce.ts";
import { COMPILED, compiledFiles } from "./compiled.ts";
import { CONTRACTS } from "./contracts.ts";
import { step } from "./steps.mjs";
import { bundlePages, PAGES } from "./web.ts";

/** @returns whether it worked; where not, it has said why */
export async function buildContracts(): Promise<boolean> {
  if (!(await buildOnce(CONTRACTS, "Compiling contracts"))) return false;
  const folder = join(ROOT, COMPILED);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of compiledFiles()) writeFileSync(join(folder, name), text);
  return true;
}

/** @returns whether it worked; where not, it has said why */
export function buildPages(): Promise<boolean> {
  return step("Bundling pages", async () => {
    try {
      await bundlePages(join(ROOT, PAGES));
      return true;
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      return false;
    }
  });
}

if (import.meta.main) {
  const built = await Promise.all([buildContracts(), buildPages()]);
  process.exitCode = built.every(Boolean) ? 0 : 1;
}
