/**
 * Compiles the contracts and makes their TypeScript types, writes the weakened guard that the attack tests need, and
 * bundles what the pages run in the browser, each when something changed since the last time. Asking Hardhat would do,
 * too, but takes over a second at each start, and two at once get in each other's way.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { WEAKENED } from "../workshop/mutate/weaken.ts";
import { buildOnce, ROOT } from "./buildOnce.ts";
import { WEB } from "./web.ts";

function compileContracts(): boolean {
  console.error("Compiling the contracts…");
  // Solidity tests are many times the work, and nobody but `hardhat test`, which compiles them, needs them.
  const { status, stderr } = spawnSync(
    join(ROOT, "node_modules/.bin/hardhat"),
    ["build", "--no-tests", "--quiet"],
    { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" },
  );
  // Warnings are the linter's and the reviewer's business; whoever starts the service has no use for them.
  if (status !== 0) process.stderr.write(stderr);
  return status === 0;
}

const weakened = await buildOnce(WEAKENED);
const contracts = await buildOnce({
  name: "build",
  sources: [
    ...["contracts", "chain/contracts", "devnet/contracts", "test"].map((folder) => `${folder}/**/*.sol`),
    "hardhat.config.ts",
    "package-lock.json",
  ],
  results: ["artifacts/contracts", "types/contracts/factories"],
  make: compileContracts,
});
const web = await buildOnce(WEB);
process.exitCode = weakened && contracts && web ? 0 : 1;
