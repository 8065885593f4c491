/**
 * Compiles all contracts, those of the tests included, into `artifacts/`, and makes TypeScript types of them for the tests:
 * by Hardhat, and only when something changed.
 */
import { join } from "node:path";
import { type Build, ROOT } from "./buildOnce.ts";
import { CONTRACT_FOLDERS } from "./compiled.ts";
import { run } from "./programs.mjs";

export const CONTRACTS: Build = {
  name: "contracts",
  sources: [
    ...[...CONTRACT_FOLDERS, "test"].map((folder) => `${folder}/**/*.sol`),
    // What else decides over the compiler's results.
    "build/{compiling,contracts,solidity}.ts",
    "hardhat.config.ts",
    "package-lock.json",
  ],
  results: ["artifacts/contracts", "types/contracts/factories/contracts", "artifacts/test"],
  async make() {
    const hardhat = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
    // Solidity tests are many times the work, and nobody but `hardhat test`, which compiles them, needs them.
    const args = ["build", "--quiet", "--no-tests"];
    const { status, output } = await run(process.execPath, [hardhat, ...args], { cwd: ROOT });
    // Warnings are for the linter and the reviewer.
    if (status !== 0) process.stderr.write(output);
    return status === 0;
  },
};
