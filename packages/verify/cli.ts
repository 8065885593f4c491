#!/usr/bin/env node
/** `assay-verify report.json`: `assay verify` as a package of its own. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { UsageError, type World } from "../../scripts/console.ts";
import { verifyHelp } from "../../cli/help/verifyHelp.ts";
import { runProgram } from "../../scripts/program.ts";
import { knownGuards } from "../../scripts/verify/knownGuards.ts";
import { verifyCommand } from "../../scripts/verify/verify.ts";

const HELP = verifyHelp(
  "assay-verify",
  `the deployments that this package was made with (its folder deployments).

  --version        print the version; --help prints this`,
);

/** A place in the package as it is installed. */
const placed = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Nobody's local world is known here: a package that is installed has no data of its own. */
const packaged = () =>
  knownGuards({ deployments: placed("deployments"), dataDir: placed("deployments/none") });

async function main(args: string[], world: World): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    world.out(HELP);
    return 0;
  }
  if (args.includes("--version") || args.includes("-v")) {
    world.out(JSON.parse(await readFile(placed("package.json"), "utf8")).version);
    return 0;
  }
  try {
    return await verifyCommand(args, world, undefined, packaged);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    world.err(`assay-verify: ${error.message}\n`);
    world.err(HELP);
    return 2;
  }
}

await runProgram("assay-verify", main);
