/** What the Containerfile's build does, in a plain folder: the packages of production alone start the service. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { instructions, ROOT } from "../support/containerfile.ts";

describe("the build of the image", function () {
  this.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), "assay-image-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("leaves what the service needs to start, with the network it runs in, and no compiler", () => {
    const files = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    for (const file of files.stdout.trim().split("\n"))
      if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(folder, file));
    const env = { PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`, HOME: process.env.HOME };
    for (const { name, words } of instructions()) {
      if (name !== "RUN") continue;
      const script = words.replaceAll("/data", join(folder, "data"));
      const { status, stderr } = spawnSync("sh", ["-c", script], { cwd: folder, env, encoding: "utf8" });
      expect(status, stderr).to.equal(0);
    }
    for (const name of ["hardhat", "solc", "vite", "mocha", "typescript"])
      expect(existsSync(join(folder, "node_modules", name)), name).to.equal(false);
    // Every module is loaded before the settings are read.
    const started = spawnSync(process.execPath, ["api/server.ts"], {
      cwd: folder,
      env: { NODE_ENV: "production", DATA_DIR: join(folder, "data") },
      encoding: "utf8",
    });
    expect(started.status).to.equal(1);
    expect(started.stderr).to.match(/^Missing or invalid settings:/m);
    const help = spawnSync(process.execPath, ["cli/assay.ts", "--help"], { cwd: folder, encoding: "utf8" });
    expect(help.status, help.stderr).to.equal(0);
  });
});
