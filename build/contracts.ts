/** Compiles the contracts and makes their TypeScript types: by Hardhat, and only when something changed. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { type Build, ROOT } from "./buildOnce.ts";
import { run } from "./programs.mjs";
import { solidity } from "./solidity.ts";

/** Of what the product deploys and reads. */
const FOLDERS = ["contracts", "chain/contracts", "devnet/contracts"];

/** What else decides over the compiler's results. */
const SETTINGS = ["build/{compiling,contracts,solidity}.ts", "hardhat.config.ts", "package-lock.json"];

/** Hardhat's files in `artifacts` and `cache` are for one build at a time. */
const SHARED = { lock: "contracts", results: ["artifacts/contracts", "types/contracts/factories/contracts"] };

export const CONTRACTS: Build = {
  ...SHARED,
  name: "contracts",
  sources: [...FOLDERS.map((folder) => `${folder}/**/*.sol`), ...SETTINGS],
  make: () =>
    compile([
      ...FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.sol`, { cwd: ROOT })),
      ...solidity.npmFilesToBuild.map((file) => `npm:${file}`),
    ]),
};

/** These and what the tests deploy. */
export const ALL_CONTRACTS: Build = {
  ...SHARED,
  name: "allContracts",
  sources: [...CONTRACTS.sources, "test/**/*.sol"],
  results: [...SHARED.results, "artifacts/test"],
  // Solidity tests are many times the work, and nobody but `hardhat test`, which compiles them, needs them.
  make: () => compile(["--no-tests"]),
};

async function compile(args: readonly string[]): Promise<boolean> {
  const hardhat = join(ROOT, "node_modules/.bin/hardhat");
  const { status, output } = await run(process.execPath, [hardhat, "build", "--quiet", ...args], {
    cwd: ROOT,
  });
  // Warnings are for the linter and the reviewer; they are useless to an operator who starts the service.
  if (status !== 0) process.stderr.write(output);
  return status === 0;
}
