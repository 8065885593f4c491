// Brings node_modules in line with package-lock.json, so that a fresh clone needs no step of its own: what a start needs,
// and for the workshop what tests and maintainers need, too. What the environment says of omitting packages
// (NODE_ENV=production, npm_config_omit) is meant for services that are installed otherwise, and does not count here.
import { accessSync, constants, existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertFree, failureOf } from "./failures.mjs";
import { npm, QUIETLY } from "./npm.mjs";
import { run } from "./programs.mjs";
import { step } from "./steps.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What npm leaves of an install that came to its end. */
const INSTALLED = join(ROOT, "node_modules/.package-lock.json");
const LOCK = join(ROOT, "package-lock.json");

const packagesOf = (path) => JSON.parse(readFileSync(path, "utf8")).packages;

function isInstalled(workshop) {
  if (!existsSync(INSTALLED) || statSync(INSTALLED).mtimeMs < statSync(LOCK).mtimeMs) return false;
  return !workshop || "node_modules/assay-workshop" in packagesOf(INSTALLED);
}

/** Where npm will put packages, but those that it may leave out, such as those for other platforms. */
function places(workshop) {
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
  for (const path of workshop ? ["", "test", "workshop"] : [""]) visit(path);
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
 * @param {{ node: string, env: NodeJS.ProcessEnv, workshop: boolean }} given node: what npm runs on. On an older one it
 *   silently leaves out native packages whose `engines` ask for a newer one.
 * @throws Error with the cause and what to do
 */
export async function install({ node, env, workshop }) {
  if (isInstalled(workshop)) return;
  assertWritable();
  assertFree(ROOT, workshop ? 1_000 : 250, ROOT);
  // What is there stays: then npm only adds and replaces.
  const how = existsSync(INSTALLED) ? ["install", "--no-save"] : ["ci"];
  const [command, ...before] = npm(node, env);
  // A start needs no package's script: its native packages bring their binaries.
  const extent = workshop
    ? ["--workspaces", "--include-workspace-root"]
    : ["--no-workspaces", "--ignore-scripts"];
  const included = ["--include=dev", "--include=optional", "--include=peer"];
  const options = [...extent, ...included, ...QUIETLY];
  const expected = places(workshop);
  let printed = "";
  const installed = await step(
    "Installing packages",
    async () => {
      const { status, output } = await run(command, [...before, ...how, ...options], { cwd: ROOT, env });
      printed = output;
      return status === 0;
    },
    () => `${expected.filter((path) => existsSync(path)).length} of ${expected.length} packages`,
  );
  if (!installed) throw new Error(failureOf(printed, ROOT));
  // npm leaves the file alone where it found nothing to do.
  utimesSync(INSTALLED, new Date(), new Date());
}

/** npm would try for a while, and then name a file of its own. */
function assertWritable() {
  try {
    const modules = join(ROOT, "node_modules");
    accessSync(existsSync(modules) ? modules : ROOT, constants.W_OK);
  } catch (error) {
    throw new Error(failureOf(error.message, ROOT));
  }
}
