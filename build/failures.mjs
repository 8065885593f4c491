// Why a set-up failed, in words that say what to do. npm's own output names a code among many lines.
import { statfsSync } from "node:fs";
import { userInfo } from "node:os";

/** Of npm's last lines so many are shown. */
const SHOWN_LINES = 12;

const CAUSES = [
  {
    pattern: /\bENOSPC\b|no space left on device/i,
    words: (root) =>
      `The disk is full: ${root} needs 250 MB for packages (1,000 MB with those of the workshop) and 200 MB for Node.js where it is fetched, and npm's cache (npm config get cache) half of that.`,
  },
  {
    pattern: /\b(EACCES|EPERM|EROFS)\b|ENOENT.*\bmkdir\b|permission denied|read-only file system/i,
    words: (root) =>
      `There is no permission to write: ${userInfo().username} must be able to write into ${root} and into npm's cache (npm config get cache). Run it as the owner of the folder, or give the folder to yourself (chown).`,
  },
  {
    pattern:
      /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b|_CERT|network|certificate/i,
    words: () =>
      "The package registry cannot be reached (npm config get registry). Check the network; behind a proxy, set HTTPS_PROXY (and NODE_EXTRA_CA_CERTS where it has a certificate of its own), or npm config set registry to a mirror. Then run it again: what was fetched is kept.",
  },
  {
    pattern: /gyp ERR!|node-gyp|not found: make|\bg\+\+|\bcc\b.*not found/,
    words: () =>
      "A native module has no binary for this machine and could not be compiled. Install a compiler (Debian: apt-get install python3 make g++; macOS: xcode-select --install), then run it again.",
  },
  {
    pattern: /\b(E404|ETARGET|EINTEGRITY)\b/,
    words: () =>
      "The package registry has another content than package-lock.json or build/node.mjs names. Use the public registry or a complete mirror (npm config get registry), and empty a broken cache: npm cache clean --force.",
  },
];

/**
 * @param {string} output of the npm that failed
 * @param {string} root where it should have installed
 * @returns {string} the cause, what to do, and the last that npm said
 */
export function failureOf(output, root) {
  const cause = CAUSES.find(({ pattern }) => pattern.test(output));
  const words = cause?.words(root) ?? "npm failed for a reason that its last lines may tell.";
  const lines = output.trim().split("\n").slice(-SHOWN_LINES);
  return [words, "", ...lines.map((line) => `    ${line}`)].join("\n");
}

/**
 * npm itself ends without an error where the disk fills while it unpacks, and leaves files cut off.
 * @param {string} folder that is there
 * @throws Error where so much is not free
 */
export function assertFree(folder, megabytes, root) {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / 1e6);
  if (free < megabytes)
    throw new Error(failureOf(`ENOSPC: ${free} MB are free, and ${megabytes} needed`, root));
}
