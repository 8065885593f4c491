// Whether what is committed compiled and bundled is still made of the sources that lie here. Plain JavaScript, because it
// runs before anything is installed.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {string} root
 * @param {readonly string[]} paths
 * @returns {Record<string, string | undefined>} by path, the SHA-256 of each source; undefined: it is not there
 */
export function sourceHashes(root, paths) {
  return Object.fromEntries(paths.map((path) => [path, hashOf(join(root, path))]));
}

function hashOf(path) {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root
 * @returns {{ contracts: string | null, pages: string | null }} which is older than its sources, in a sentence; null: it is not
 */
export function outdated(root) {
  return {
    contracts: changeSince(root, "contracts/compiled/build.json", "the contracts were compiled"),
    pages: changeSince(root, "web/dist/build.json", "the pages were bundled"),
  };
}

function changeSince(root, record, what) {
  let sources;
  try {
    ({ sources } = JSON.parse(readFileSync(join(root, record), "utf8")));
  } catch {
    return `${record} is missing or broken: npm run build writes it.`;
  }
  const changed = Object.keys(sources).filter((path) => hashOf(join(root, path)) !== sources[path]);
  if (changed.length === 0) return null;
  const more = changed.length === 1 ? "" : ` and ${changed.length - 1} more`;
  return `${changed[0]}${more} changed since ${what}: npm run build brings them up to date.`;
}
