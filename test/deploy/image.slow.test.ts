/** What the Containerfile's last stage holds, in a plain folder: the packages of production alone start the service. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { instructions, ROOT } from "./containerfile.ts";

describe("what the image holds", function () {
  this.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), "assay-image-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("starts the service and the commands with the packages of production alone", () => {
    cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
    // Of the packages here those that `npm ci --omit=dev` installs and the Containerfile leaves.
    const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
    for (const [path, { dev, link }] of Object.entries<{ dev?: true; link?: true }>(packages)) {
      const isKept = /^node_modules\/(?!@?typescript\b)(@[^/]+\/)?[^/]+$/.test(path) && !dev && !link;
      if (isKept && existsSync(join(ROOT, path)))
        cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    }
    for (const name of ["hardhat", "solc", "vite", "mocha"])
      expect(existsSync(join(folder, "node_modules", name)), name).to.equal(false);

    const copied = instructions().filter(({ words }) => words.startsWith("--from=build /opt/assay/"));
    for (const path of copied.flatMap(({ words }) => words.split(" ").slice(1, -1))) {
      const [from, to] = [ROOT, folder].map((place) => path.replace("/opt/assay", place)) as [string, string];
      if (!path.includes("node_modules")) cpSync(from, to, { recursive: true });
    }
    const data = join(folder, "data");
    mkdirSync(data);
    // Every module is loaded before the settings are read.
    const env = { NODE_ENV: "production", DATA_DIR: data };
    const started = spawnSync(process.execPath, ["api/server.ts"], { cwd: folder, env, encoding: "utf8" });
    expect(started.stdout + started.stderr, started.stderr).to.match(/Missing or invalid settings:/);
    expect(started.status).to.equal(1);
    const help = spawnSync(process.execPath, ["scripts/assay.ts", "--help"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(help.status, help.stderr).to.equal(0);
  });
});
