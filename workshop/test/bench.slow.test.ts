import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";

const RUN = join(import.meta.dirname, "../bench/run.ts");
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [RUN, ...args]);

describe("npm run bench", function () {
  this.timeout(300_000);

  it("without a name lists what there is", async () => {
    const { stderr } = await bench();
    for (const name of ["jobs", "data", "gas", "load"])
      expect(stderr).to.match(new RegExp(`^ {2}${name} `, "m"));
  });

  it("load asks a running service, every answer of which is a success, and tells its memory", async () => {
    const { stdout } = await bench("load", "--seconds", "1");
    const rows = stdout.split("\n").filter((line) => / ms \| /.test(line));
    expect(rows).to.have.length(6);
    for (const row of rows) expect(row).to.match(/ \| [1-9][0-9,.]* \| \d+ ms \| \d+ ms \| 0 \|$/);
    expect(stdout).to.match(/^Memory of the service at rest: \d{2,3} MB before, \d{2,3} MB after\.$/m);
  });
});
