/** `npm run pack`: the tarballs, what publint says of them, and the notices of what others wrote in them. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { packedFiles, unpackedFolder } from "../../test/support/packages.ts";
import { testFolder } from "../../test/support/suite.ts";
import { noticesOf } from "../release/notices.ts";
import { faultsOf } from "../release/pack.ts";

const ROOT = join(import.meta.dirname, "../..");
const OUT = join(ROOT, "cache/release");
const VERSION: string = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;

describe("npm run pack", function () {
  this.timeout(600_000);

  const place = testFolder("pack");
  const folder = (name: string) => mkdtempSync(join(place, `${name}-`));

  it("makes the tarballs of this version, in the place of older ones, and says how large they are", () => {
    mkdirSync(OUT, { recursive: true });
    writeFileSync(join(OUT, "assay-client-0.0.1.tgz"), "old");
    const { status, stdout, stderr } = spawnSync(process.execPath, ["workshop/pack.ts"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(status, stdout + stderr).to.equal(0);
    const tarballs = ["client", "contracts", "verify"].map((name) => `assay-${name}-${VERSION}.tgz`);
    expect(readdirSync(OUT)).to.have.members([...tarballs, "packages"]);
    for (const name of tarballs)
      expect(stdout).to.match(new RegExp(`^packed   cache/release/${name}: [0-9.]+ kB, \\d+ files of`, "m"));
  });

  it("finds fault with a package whose exports name a file that is not there", async () => {
    await packedFiles();
    const at = join(folder("fault"), "assay-verify");
    cpSync(unpackedFolder("assay-verify"), at, { recursive: true });
    const file = join(at, "package.json");
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    const exports = { ...manifest.exports, "./away.json": "./away.json" };
    writeFileSync(file, JSON.stringify({ ...manifest, exports }));
    const faults = await faultsOf({ name: "assay-verify", folder: at });
    expect(faults).to.have.length(1);
    expect(faults[0]).to.match(/^assay-verify: .*away\.json/);
  });

  it("names the libraries of others that are in each package", async () => {
    await packedFiles();
    const inside = (name: "assay-client" | "assay-verify") => {
      const notices = readFileSync(join(unpackedFolder(name), "THIRD-PARTY-NOTICES.md"), "utf8");
      return [...notices.matchAll(/^## (\S+) \d\S*$/gm)].map(([, library]) => library);
    };
    expect(inside("assay-client")).to.include.members(["zod", "@noble/curves", "canonicalize"]);
    expect(inside("assay-client")).to.not.include("ethers");
    expect(inside("assay-verify")).to.include.members(["zod", "ethers", "@ethereumjs/rlp"]);
    expect(readdirSync(unpackedFolder("assay-contracts"))).to.not.include("THIRD-PARTY-NOTICES.md");
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
    const both = noticesOf([library("b", "MPL-2.0"), library("a", "MPL-2.0", "the text")]);
    expect(both.match(/the text/g)).to.have.length(2);
    expect(() => noticesOf([library("c", "MIT")])).to.throw("The text of MIT, the license of c, is missing.");
    expect(() => noticesOf([library("d", undefined)])).to.throw("d names no license");
  });
});
