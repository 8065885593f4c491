import { expect } from "chai";
import { WHOLE_FAULTS } from "../rehearse/cluster/list.ts";
import { rehearse } from "../rehearse/main.ts";
import { PackagesMissing } from "../rehearse/topology/packages.ts";

describe("the rehearsal of faults", () => {
  it("says what it can do, and of what it has not that it has not", async () => {
    const printed: string[] = [];
    const keep = (text: string) => void printed.push(text);
    const asked = (...args: string[]) => rehearse(args, { log: keep, error: keep });
    expect(await asked("--help")).to.equal(0);
    for (const { name } of WHOLE_FAULTS) expect(printed[0]).to.contain(name);
    expect(await asked("--earthquake")).to.equal(2);
    expect(await asked("earthquake")).to.equal(2);
    expect(printed.at(-1)?.split("\n")[0]).to.equal('No fault has "earthquake" in its name.');
  });

  it("names the Debian packages that are missing, and how to have them", () => {
    const { message } = new PackagesMissing(["postgresql", "haproxy"]);
    expect(message).to.match(/not here: postgresql, haproxy\.\n.*apt-get install .*postgresql haproxy$/);
  });
});
