/**
 * Prints the entry for MCP registries. Without options it is the template that is checked in as `server.json`; with
 * `--url https://…` that of a service, to be published by who owns the name (`--name io.github.you/assay`).
 */
import { parseArgs } from "node:util";
import { serverJson } from "../api/discovery/serverJson.ts";
import packageJson from "../package.json" with { type: "json" };

const { values } = parseArgs({ options: { url: { type: "string" }, name: { type: "string" } } });
const entry = serverJson({
  version: packageJson.version,
  baseUrl: values.url?.replace(/\/+$/, "") ?? null,
  ...(values.name === undefined ? {} : { name: values.name }),
});
process.stdout.write(`${JSON.stringify(entry, null, 2)}\n`);
