#!/usr/bin/env node
import { environment } from "../api/settings/environment.ts";
/** The package's one program: `assay <noun> <verb>`. */
import packageJson from "../package.json" with { type: "json" };
import { COMMANDS } from "./commands.ts";
import { realWorld } from "./console.ts";
import { programOf, runProgram } from "./program.ts";

// Loaded when something fails: verifying a report needs no more than the attestor.
const assay = programOf("assay", COMMANDS, packageJson.version, async (error) =>
  (await import("./explain.ts")).explain(error),
);

await runProgram(assay, realWorld(environment()));
