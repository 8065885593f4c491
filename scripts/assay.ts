#!/usr/bin/env node
/** The package's one program: `assay <noun> <verb>`. */
import { readFileSync } from "node:fs";
import { environment } from "../api/settings/environment.ts";
import { COMMANDS } from "./commands.ts";
import { realWorld } from "./console.ts";
import { programOf, runProgram } from "./program.ts";

const version = (): string =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;

// Loaded when something fails: verifying a report needs no more than the attestor.
const assay = programOf("assay", COMMANDS, version, async (error) =>
  (await import("./explain.ts")).explain(error),
);

await runProgram(assay, realWorld(environment()));
