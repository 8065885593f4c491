/** `npm run release -- --dry-run`: the same sources give the same bytes, and what is wrong with a package stops it. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect } from "chai";
import { packedFiles, unpackedFolder } from "../../test/support/packages.ts";
import { testFolder } from "../../test/support/suite.ts";
import { changelogSection } from "../release/changelog.ts";
import { faultsOf, moduleSize } from "../release/checks.ts";
import { librariesIn, noticesOf } from "../release/libraries.ts";
import { pack } from "../release/pack.ts";
import { PLANS } from "../release/plan.ts";

const ROOT = join(import.meta.dirname, "../..");
const LEFT_OUT = new Set([".git", "node_modules", "cache", "coverage", "data", "docs"]);
const VERSION: string = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;
const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("npm run release", function () {
  this.timeout(600_000);

  const place = testFolder("release");
  const folder = (name: string) => mkdtempSync(join(place, `${name}-`));

  const node = (root: string, args: readonly string[], before = "") => {
    const command = `${before} exec "${process.execPath}" "$@"`;
    // As an owner's shell has it: nothing of npm's own, nor of tests that ran before.
    const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
    const env = { PATH, HOME: process.env.HOME, TMPDIR: tmpdir() };
    return spawnSync("sh", ["-c", command, "node", ...args], { cwd: root, encoding: "utf8", env });
  };
  const release = (...args: string[]) => node(ROOT, ["workshop/release.ts", ...args], "umask 022;");
  /** What a release packs, without its checks. */
  const PACK = `
    import { pack } from "./workshop/release/pack.ts";
    import { PLANS } from "./workshop/release/plan.ts";
    import { stage } from "./workshop/release/stage.ts";
    const out = process.argv.at(-1);
    for (const plan of PLANS) pack(await stage(plan, out + "/packages"), out);`;

  describe("with --dry-run, and packed in another folder, with another umask, time zone and language", () => {
    const [one, other] = [join(place, "one"), join(place, "other")];
    let first: ReturnType<typeof node>;
    let second: ReturnType<typeof node>;

    before(() => {
      const copy = join(folder("copy"), "a place with another name");
      const filter = (path: string) => dirname(path) !== ROOT || !LEFT_OUT.has(basename(path));
      cpSync(ROOT, copy, { recursive: true, filter });
      symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
      mkdirSync(join(one, "packages"), { recursive: true });
      writeFileSync(join(one, "mine.txt"), "mine");
      writeFileSync(join(one, "packages/mine.txt"), "mine");
      writeFileSync(join(one, "assay-client-0.0.1.tgz"), "old");
      first = release("--dry-run", "--out", one);
      const packing = ["--input-type=module", "-e", PACK, other];
      second = node(copy, packing, "umask 077; export TZ=Asia/Tokyo LANG=tr_TR.UTF-8;");
    });

    it("makes the same tarballs, byte by byte", () => {
      expect(first.status, first.stdout + first.stderr).to.equal(0);
      expect(second.status, second.stdout + second.stderr).to.equal(0);
      const tarballs = ["client", "contracts", "verify"].map((name) => `assay-${name}-${VERSION}.tgz`);
      expect(readdirSync(one).filter((name) => name.endsWith(".tgz"))).to.have.members(tarballs);
      for (const name of tarballs) expect(sha256(join(one, name)), name).to.equal(sha256(join(other, name)));
    });

    it("says what it did, and that nothing was published", () => {
      for (const name of ["client", "verify", "contracts"]) {
        const packed = new RegExp(`^packed   assay-${name}-.*\\.tgz: [0-9.]+ kB, \\d+ files of`, "m");
        expect(first.stdout).to.match(packed);
      }
      expect(first.stdout).to.match(/^checked {2}publint, the types .*sizes/m);
      expect(first.stdout).to.match(/^Dry run: nothing was published\.$/m);
    });

    it("writes sums that sha256sum takes", () => {
      const lines = readFileSync(join(one, "SHA256SUMS"), "utf8").trimEnd().split("\n");
      expect(lines).to.have.length(5);
      for (const line of lines) {
        const [, sum, name] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line)!;
        expect(sha256(join(one, name!)), name).to.equal(sum);
      }
    });

    it("writes the bill of materials, which names the third-party libraries in each package and their licenses", () => {
      const bom = JSON.parse(readFileSync(join(one, "sbom.cdx.json"), "utf8"));
      expect(bom.bomFormat).to.equal("CycloneDX");
      const licences = new Map(bom.components.map((each: any) => [each["bom-ref"], each.licenses]));
      const inside = (name: string) => {
        const notices = readFileSync(join(one, "packages", name, "THIRD-PARTY-NOTICES.md"), "utf8");
        return [...notices.matchAll(/^## (\S+) (\d\S*)$/gm)].map(([, ...named]) => named);
      };
      const names = (name: string) => inside(name).map(([library]) => library);
      expect(names("assay-client")).to.include.members(["zod", "@noble/curves", "canonicalize"]);
      expect(names("assay-client")).to.not.include.members(["ethers"]);
      expect(names("assay-verify")).to.include.members(["zod", "ethers", "@ethereumjs/mpt"]);
      expect(readdirSync(join(one, "packages/assay-contracts"))).to.not.include("THIRD-PARTY-NOTICES.md");
      for (const [library, version] of [...inside("assay-client"), ...inside("assay-verify")])
        expect(licences.get(`${library}@${version}`), library).to.have.length.greaterThan(0);
    });

    it("writes the changelog's section", () => {
      const section = readFileSync(join(one, "CHANGELOG-section.md"), "utf8");
      expect(section).to.match(/^## \[[^\]]+\] - \d{4}-\d\d-\d\d\n/);
      expect(section.match(/^## /gm)).to.have.length(1);
    });

    it("replaces what a release wrote there before, and nothing else", () => {
      expect(readdirSync(one)).to.include("mine.txt").and.to.not.include("assay-client-0.0.1.tgz");
      expect(readdirSync(join(one, "packages"))).to.include("mine.txt");
    });
  });

  it("takes no folder among the sources, whose packages it would take for a release's", () => {
    for (const out of [".", "packages", "packages/client"]) {
      const stderr = `--out ${out} is among the sources: name a folder elsewhere, or one in cache/.\n`;
      expect(release("--dry-run", "--out", out)).to.include({ status: 2, stderr });
    }
    expect(readFileSync(join(ROOT, "packages/client/package.json"), "utf8")).to.contain("assay-client");
  });

  it("publishes nothing without --dry-run, and says what an owner has to do", () => {
    const told = release();
    expect(told).to.include({ status: 2, stdout: "" });
    expect(told.stderr).to.include("assay-client, assay-verify, assay-contracts are placeholders");
    expect(told.stderr).to.include("npm publish <tarball>");
  });

  it("explains itself, and refuses what it does not know", () => {
    expect(release("--help")).to.deep.include({ status: 0 });
    const { status, stderr } = release("--publish");
    expect(status).to.equal(2);
    expect(stderr).to.match(/^Unknown option '--publish'[\s\S]*npm run release -- --dry-run/);
  });

  describe("finds fault with a package", () => {
    /** Of the packed verifier, with one thing wrong of each kind. */
    let faults: string;
    before(async () => {
      await packedFiles();
      const at = join(folder("fault"), "assay-verify");
      cpSync(unpackedFolder("assay-verify"), at, { recursive: true });
      const edit = (path: string, change: (text: string) => string) =>
        writeFileSync(join(at, path), change(readFileSync(join(at, path), "utf8")));
      const noise = createHash("shake256", { outputLength: 2_300_000 }).update("grown").digest("hex");
      edit("dist/index.js", (text) => `${text}// ${noise}\n`);
      edit("dist/index.cjs", (text) => `${text}// ${ROOT}/secret\n`);
      edit("package.json", (text) =>
        text
          .replaceAll("index.d.cts", "index.d.ts")
          .replace('"./package.json":', '"./away.json": "./away.json",\n    "./package.json":'),
      );
      const plan = PLANS.find(({ folder: own }) => own === "verify")!;
      const staged = { plan, name: "assay-verify", version: VERSION, folder: at, libraries: [] };
      faults = (await faultsOf(pack(staged, dirname(at)))).join("\n");
    });

    it("that is larger than its limits", () => {
      for (const size of ["packed", "unpacked", "module"])
        expect(faults).to.include(`assay-verify: size: ${size} is `);
    });

    it("whose exports name a file that is not there", () => {
      expect(faults).to.match(/publint: .*away\.json/);
    });

    it("whose types for require are those of an ES module", () => {
      expect(faults).to.include("types: FalseESM");
    });

    it("that names a place of this machine", () => {
      expect(faults).to.include(`assay-verify: dist/index.cjs names ${ROOT}`);
    });
  });

  it("counts into a module's size what it loads", async () => {
    await packedFiles();
    const at = unpackedFolder("assay-verify");
    expect(moduleSize(at)).to.be.greaterThan(100_000);
  });

  it("takes the section of a version from the changelog, or what is not released yet", () => {
    const added = "\n\n### Added\n\n- more\n";
    const last = "## [0.1.0] - 2026-01-01\n\n- first\n";
    const released = `# Changelog\n\n## [Unreleased]\n\n${last}`;
    const text = `# Changelog\n\n## [Unreleased]${added}\n${last}`;
    const section = (from: string, version: string) => changelogSection(from, version, "2026-02-02");
    expect(section(text, "0.1.0")).to.equal(`## [after 0.1.0] - 2026-02-02${added}`);
    expect(section(text, "0.2.0")).to.equal(`## [0.2.0] - 2026-02-02${added}`);
    expect(section(released, "0.1.0")).to.equal(last);
    expect(() => section(released, "0.3.0")).to.throw("nothing for 0.3.0");
  });

  it("includes the text of each license, from a neighbor where a package lacks it, and refuses one without", () => {
    const libraries = folder("libraries");
    const library = (name: string, license: string | undefined, text?: string) => {
      const at = join(libraries, name);
      cpSync(join(ROOT, "packages/contracts"), at, { recursive: true });
      writeFileSync(join(at, "package.json"), JSON.stringify({ name, version: "1.0.0", license }));
      if (text !== undefined) writeFileSync(join(at, "LICENSE.md"), text);
      return at;
    };
    const both = librariesIn([library("b", "MPL-2.0"), library("a", "MPL-2.0", "the text")]);
    expect(noticesOf(both).match(/the text/g)).to.have.length(2);
    expect(() => noticesOf(librariesIn([library("c", "MIT")]))).to.throw(
      "The text of MIT, the license of c, is missing.",
    );
    expect(() => librariesIn([library("d", undefined)])).to.throw("d names no license");
  });
});
