/** The systemd unit that operators install. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { needsProgram } from "../support/debian.ts";

const ROOT = join(import.meta.dirname, "../..");
const UNIT = join(ROOT, "deploy/systemd/assay@.service");

describe("the systemd unit", () => {
  const unit = readFileSync(UNIT, "utf8");

  it("starts a program that is there, as a user of its own, with passphrases as credentials", () => {
    const [, node, program] = /^ExecStart=\/opt\/assay\/(\S+) .*\/opt\/assay\/(\S+)$/m.exec(unit) ?? [];
    for (const path of [node, program]) expect(existsSync(join(ROOT, path ?? "none")), path).to.equal(true);
    expect(unit).to.match(/^User=assay$/m);
    expect(unit).to.contain("ROLE=%i");
    for (const name of ["ATTESTOR", "LOG"])
      expect(unit).to.contain(`${name}_KEYSTORE_PASSPHRASE_FILE=%d/${name.toLowerCase()}-passphrase`);
    for (const name of ["attestor", "log"]) expect(unit).to.contain(`LoadCredential=${name}-passphrase:`);
  });

  it("gives the worker a port beside the api's, and hides no process of the service from the others", () => {
    const settings = (name: string) => readFileSync(join(ROOT, "deploy/systemd", name), "utf8");
    expect(settings("worker.env")).to.match(/^PORT=(?!3000$)\d+$/m);
    expect(settings("assay.env")).to.not.match(/^PORT=/m);
    expect(unit).to.contain("EnvironmentFile=-/etc/assay/%i.env");
    expect(unit).to.not.match(/^ProtectProc=/m);
  });

  it("is exposed by less than 2.5 of 10, as systemd-analyze counts", function () {
    const ANALYZE = "/usr/bin/systemd-analyze";
    needsProgram(this, ANALYZE, "systemd");
    const args = ["security", "--offline=true", "--threshold=24", UNIT];
    const { status, stdout } = spawnSync(ANALYZE, args, { encoding: "utf8" });
    const [, exposure] = /exposure level for .*: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(exposure), stdout).to.be.lessThan(2.5).and.greaterThan(0);
    expect(status, stdout).to.equal(0);
    const page = readFileSync(join(ROOT, "docs/run/one-machine.md"), "utf8");
    expect(page).to.contain(`an exposure of ${exposure} of 10`);
  });
});
