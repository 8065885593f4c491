/** `npm run release -- --dry-run`: makes and checks what an owner publishes. It publishes nothing itself. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../build/buildOnce.ts";
import { changelogSection } from "./release/changelog.ts";
import { faultsOf, moduleSize } from "./release/checks.ts";
import HELP from "./release/help.json" with { type: "json" };
import { billOfMaterials, type Packed, pack } from "./release/pack.ts";
import { manifestOf, PLANS, rootManifest } from "./release/plan.ts";
import { stage } from "./release/stage.ts";

const SECTION = "CHANGELOG-section.md";
const SBOM = "sbom.cdx.json";
const SUMS = "SHA256SUMS";

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
const say = (line = "") => console.log(line);

async function release(out: string): Promise<number> {
  const { version } = rootManifest();
  say(`Release ${version} of ${commitText()}`);
  clear(out);
  const packages: Packed[] = [];
  for (const plan of PLANS) {
    const packed = pack(await stage(plan, join(out, "packages")), out);
    packages.push(packed);
    const { name, tarball, files, unpacked, folder, libraries } = packed;
    say(`packed   ${tarball}: ${kB(packed.packed)}, ${files.length} files of ${kB(unpacked)}`);
    say(
      `         ${name}: ${kB(moduleSize(folder))} gzip as a module; no dependencies, ${libraries.length} libraries inside`,
    );
  }
  const faults = (await Promise.all(packages.map(faultsOf))).flat();
  for (const fault of faults) say(`FAILED   ${fault}`);
  if (faults.length > 0) return 1;
  say("checked  publint, the types by node10, node16, nodenext and bundlers, sizes, no path of this machine");

  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  writeFileSync(join(out, SECTION), changelogSection(changelog, version, dayOfCommit()));
  writeFileSync(join(out, SBOM), billOfMaterials());
  const sums = writeSums(out, [...packages.map(({ tarball }) => tarball), SECTION, SBOM]);
  say(`written  ${SECTION}, ${SBOM}, ${SUMS} in ${relative(process.cwd(), out) || "."}`);
  say();
  for (const line of sums) say(line);
  say();
  say("Dry run: nothing was published.");
  return 0;
}

/** @returns null outside of a repository */
function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

function commitText(): string {
  const id = git("rev-parse", "--short=12", "HEAD");
  if (id === null) return "a folder without a commit";
  return `commit ${id}${git("status", "--porcelain") === "" ? "" : ", with changes that are not committed"}`;
}

/** UTC; the first day of 1970 says that nobody knows. */
function dayOfCommit(): string {
  const seconds = Number(git("log", "-1", "--format=%ct") ?? 0);
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** Only what a release wrote: the folder is the user's. */
function clear(out: string): void {
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out))
    if (/^assay-.*\.tgz$/.test(name) || [SECTION, SBOM, SUMS].includes(name)) rmSync(join(out, name));
  for (const { name } of PLANS.map(manifestOf))
    rmSync(join(out, "packages", name), { recursive: true, force: true });
}

/** Of a checkout, whose own `packages/` would be taken for those of a release: `cache/` alone. */
function isAmongSources(out: string): boolean {
  const [first = ""] = relative(ROOT, out).split(sep);
  return first !== ".." && first !== "cache";
}

function writeSums(out: string, names: readonly string[]): string[] {
  const lines = names.map((name) => {
    const hash = createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
    return `${hash}  ${name}`;
  });
  writeFileSync(join(out, SUMS), `${lines.join("\n")}\n`);
  return lines;
}

/** What this command leaves to a person who may speak for the names. */
function ownersSteps(): string {
  const placeholders = PLANS.map(manifestOf).filter((manifest) => manifest.private);
  const { version } = rootManifest();
  const names =
    placeholders.length === 0
      ? []
      : [
          `The names ${placeholders.map(({ name }) => name).join(", ")} are placeholders that nobody has registered for Assay,`,
          "and the packages are private, so that npm refuses them. An owner first",
          "  - takes names that are the owner's, puts them into packages/*/package.json and the READMEs, and takes",
          '    "private" out there;',
        ];
  return [
    "Nothing is published by this command.",
    ...names,
    "Then, for each release:",
    `  - commits the version (${version} now) and its section of CHANGELOG.md, with .ci/run passed, and tags it;`,
    "  - runs npm run release -- --dry-run in a clean checkout of the tag, twice if in doubt: the tarballs' sums are the same;",
    "  - runs npm publish <tarball> --access public for each tarball, and keeps the sums and the bill of materials.",
  ].join("\n");
}

function parsed() {
  try {
    const { values } = parseArgs({
      options: {
        "dry-run": { type: "boolean", default: false },
        out: { type: "string", default: join(ROOT, "cache/release") },
        help: { type: "boolean", default: false },
      },
    });
    return values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP.join("\n")}`);
    return null;
  }
}

async function main(): Promise<number> {
  const options = parsed();
  if (options === null) return 2;
  if (options.help) {
    say(HELP.join("\n"));
    return 0;
  }
  if (!options["dry-run"]) {
    console.error(ownersSteps());
    return 2;
  }
  const out = resolve(options.out);
  if (statSync(out, { throwIfNoEntry: false })?.isFile()) {
    console.error(`--out ${options.out} is a file.`);
    return 2;
  }
  if (isAmongSources(out)) {
    console.error(`--out ${options.out} is among the sources: name a folder elsewhere, or one in cache/.`);
    return 2;
  }
  return release(out);
}

process.exitCode = await main();
