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

/** Where npm will put packages, but those that it may leave out, such as those for other platforms. */
function places(all) {
  const packages = packagesOf(LOCK);
  const found = new Set();
  const visit = (path) => {
    const { dependencies, devDependencies, link, resolved } = packages[path];
    if (link) return visit(resolved);
    const own = path.includes("node_modules") ? {} : devDependencies;
    for (const name of Object.keys({ ...dependencies, ...own })) {
      const place = placeOf(packages, path, name);
      if (place === undefined || found.has(place)) continue;
      found.add(place);
      visit(place);
    }
  };
  for (const path of all ? ["", "test", "workshop"] : [""]) visit(path);
  return [...found].map((path) => join(ROOT, path, "package.json"));
}

/** As Node.js finds a package: in the nearest node_modules on the way up. */
function placeOf(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (folder === "") return undefined;
  }
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
  const options = [...(all ? [] : ["--no-workspaces"]), "--no-audit", "--no-fund", "--loglevel=error"];
  const expected = places(all);
  let printed = "";
  const installed = await step(
    title,
    async () => {
      const { status, output } = await run(command, [...before, ...how, ...options], { cwd: ROOT });
      printed = output;
      return status === 0;
    },
    () => `${expected.filter((path) => existsSync(path)).length} of ${expected.length} packages`,
  );
  if (!installed) {
    process.stderr.write(`${printed}\nInstalling failed. Try \`npm ci\` by hand to see why.\n`);
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
