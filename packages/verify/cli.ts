#!/usr/bin/env node
/** `assay-verify report.json`: `assay verify` as a package of its own. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { realWorld } from "../../scripts/console.ts";
import { runCommand, runProgram } from "../../scripts/program.ts";
import { knownGuards } from "../../scripts/verify/knownGuards.ts";
import { overHttp, verifyCommand } from "../../scripts/verify/verify.ts";

/** A place in the package as it is installed. */
const placed = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Nobody's local world is known here: a package that is installed has no data of its own.
const packaged = () =>
  knownGuards({ deployments: placed("deployments"), dataDir: placed("deployments/none") });
const verify = verifyCommand("the deployments that this package was made with (its folder deployments)", () =>
  overHttp(packaged),
);

await runProgram(async (typed, world) => {
  if (typed.includes("--version") || typed.includes("-V")) {
    world.out(JSON.parse(await readFile(placed("package.json"), "utf8")).version);
    return 0;
  }
  return await runCommand("assay-verify", verify, typed, world);
}, realWorld({}));
