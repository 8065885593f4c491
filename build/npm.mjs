import { existsSync } from "node:fs";
import { basename } from "node:path";

/** How npm is called on a Node.js: the npm that started this where one did, else the one on PATH. */
export function npm(node, env) {
  const started = env.npm_execpath ?? "";
  return basename(started) === "npm-cli.js" && existsSync(started) ? [node, started] : ["npm"];
}
