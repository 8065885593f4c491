// Brings node_modules in line with package-lock.json, so that a fresh clone needs no step of its own: what the product
// needs, and with --all what the tests and the workshop need, too.
//
// Plain JavaScript, because it must run under whatever Node.js the machine has: the packages bring
// Node 24 themselves, and npm has to run under that same version, or it silently leaves out native
// packages whose `engines` ask for a newer one than the machine's.
import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./programs.mjs";
import { step } from "./steps.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What npm leaves of an install that came to its end. */
const INSTALLED = join(ROOT, "node_modules/.package-lock.json");
const LOCK = join(ROOT, "package-lock.json");

const packagesOf = (path) => JSON.parse(readFileSync(path, "utf8")).packages;

/** @param {boolean} all whether the tests' and the workshop's packages are wanted, too */
function isInstalled(all) {
  if (!existsSync(INSTALLED) || statSync(INSTALLED).mtimeMs < statSync(LOCK).mtimeMs) return false;
  return !all || "node_modules/assay-workshop" in packagesOf(INSTALLED);
}

/** What npm is called by: by itself under a Node.js that is new enough, else by way of the one that the lock names. */
function npm() {
  const [major] = process.versions.node.split(".").map(Number);
  // The one in node_modules would be replaced while npm runs on it.
  if (major >= 24 && !process.execPath.startsWith(join(ROOT, "node_modules"))) return ["npm"];
  const { version } = packagesOf(LOCK)["node_modules/node"];
  return ["npx", "--yes", `--package=node@${version}`, "npm"];
}

/** Where packages will lie, but those of other platforms, which npm leaves out. */
function places() {
  const required = Object.entries(packagesOf(LOCK)).filter(
    ([path, { optional }]) => path !== "" && !optional,
  );
  return required.map(([path]) => join(ROOT, path, "package.json"));
}

/**
 * @param {{ all: boolean, title: string }} options
 * @returns {Promise<boolean>} whether all is there now; where not, it has said why
 */
export async function install({ all, title }) {
  if (isInstalled(all)) return true;
  // What is there stays: then npm only adds and replaces.
  const how = existsSync(INSTALLED) ? ["install", "--no-save"] : ["ci"];
  const [command, ...before] = npm();
  const args = [
    ...before,
    ...how,
    ...(all ? [] : ["--no-workspaces"]),
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const expected = places();
  const { status, output } = await step(
    title,
    () => run(command, args, { cwd: ROOT }),
    () => `${expected.filter((path) => existsSync(path)).length} packages`,
  );
  if (status !== 0) {
    process.stderr.write(`${output}\nInstalling failed. Try \`npm ci\` by hand to see why.\n`);
    return false;
  }
  // npm leaves the file alone where it found nothing to do.
  utimesSync(INSTALLED, new Date(), new Date());
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = process.argv.includes("--all");
  if (!(await install({ all, title: "Installing packages" }))) process.exit(1);
}
