#!/usr/bin/env node
/** The package's one program: `assay <command>`. */
import { assay } from "./commands.ts";
import { runProgram } from "./program.ts";

await runProgram("assay", assay);
