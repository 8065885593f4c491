// Brings node_modules in line with package-lock.json, so that a fresh clone needs no step of its own.
//
// Plain JavaScript, because it must run under whatever Node.js the machine has: the packages bring
// Node 24 themselves, and npm has to run under that same version, or it silently leaves out native
// packages whose `engines` ask for a newer one than the machine's.
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");
const modifiedAt = (path) => {
  try {
    return statSync(join(root, path)).mtimeMs;
  } catch {
    return 0;
  }
};

if (modifiedAt("node_modules/.package-lock.json") < modifiedAt("package-lock.json")) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  process.stderr.write("Installing packages (once; about a minute)...\n");
  const { status, error } = spawnSync(
    "npx",
    [
      "--yes",
      `--package=node@${devDependencies.node}`,
      "npm",
      "ci",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
    ],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" },
  );
  if (status !== 0) {
    process.stderr.write(
      `Installing failed${error ? `: ${error.message}` : ""}. Try \`npm ci\` by hand to see why.\n`,
    );
    process.exit(status ?? 1);
  }
}
