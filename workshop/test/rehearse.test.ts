import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { PackagesMissing } from "../rehearse/shape/packages.ts";
import { WHOLE_FAULTS } from "../rehearse/whole/list.ts";

const ROOT = new URL("../..", import.meta.url);
const rehearse = (...args: string[]) =>
  spawnSync(process.execPath, ["workshop/rehearse/main.ts", ...args], { cwd: ROOT, encoding: "utf8" });

describe("the rehearsal of faults", () => {
  it("says what it can do, and of what it has not that it has not", () => {
    const help = rehearse("--help");
    expect(help.status).to.equal(0);
    for (const { name } of WHOLE_FAULTS) expect(help.stdout).to.contain(name);
    expect(rehearse("--earthquake").status).to.equal(2);
    const { status, stderr } = rehearse("earthquake");
    expect([status, stderr.split("\n")[0]]).to.deep.equal([2, 'No fault has "earthquake" in its name.']);
  });

  it("names the Debian packages that are missing, and how to have them", () => {
    const { message } = new PackagesMissing(["pgbouncer", "haproxy"]);
    expect(message).to.match(/not here: pgbouncer, haproxy\.\n.*apt-get install .*pgbouncer haproxy$/);
  });
});
