import { existsSync } from "node:fs";
import { basename } from "node:path";

/** How npm is called on a Node.js: the npm that started this where one did, else the one on PATH. */
export function npm(node, env) {
  const started = env.npm_execpath ?? "";
  return basename(started) === "npm-cli.js" && existsSync(started) ? [node, started] : ["npm"];
}

/** Of every install. The waits between tries are short: without a network it should say so in seconds, not in minutes. */
export const QUIETLY = [
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  "--fetch-retries=3",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=8000",
];
