import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { PackagesMissing } from "../rehearse/shape/packages.ts";
import { STEPS } from "../rehearse/steps/steps.ts";
import { WHOLE_FAULTS } from "../rehearse/whole/list.ts";

const ROOT = new URL("../..", import.meta.url);
const rehearse = (...args: string[]) =>
  spawnSync(process.execPath, ["workshop/rehearse/main.ts", ...args], { cwd: ROOT, encoding: "utf8" });

describe("the rehearsal of faults", () => {
  it("the table of the whole shape on the operations page has every fault of the list, in its order", () => {
    const page = readFileSync(new URL("docs/operations.md", ROOT), "utf8");
    const table =
      /### The whole shape, rehearsed\n[\s\S]*?\n\|---[^\n]*\n([\s\S]*?)\n\n/.exec(page)?.[1] ?? "";
    const listed = table.split("\n").map((line) => line.split("|")[1]?.trim());
    expect(listed).to.deep.equal(["None", ...WHOLE_FAULTS.map(({ name }) => name)]);
  });

  it("the way from one process to the shape has the steps of the operations page, in its order", () => {
    const page = readFileSync(new URL("docs/operations.md", ROOT), "utf8");
    const section = /## From one process to this shape\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
    const listed = [...section.matchAll(/^[0-9]+\. \*\*(.*?)\.?\*\*/gm)].map(([, name]) => name);
    expect(STEPS.map(({ name }) => name)).to.deep.equal(listed);
    const table = /\| step \|[^\n]*\n\|---[^\n]*\n([\s\S]*?)\n\n/.exec(section)?.[1] ?? "";
    expect(table.split("\n").map((line) => line.split("|")[1]?.trim())).to.deep.equal(listed);
  });

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
