import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { testFolder } from "../../test/support/suite.ts";
import { isComplete, judge, parseLcov, readLcov } from "../lcov.ts";

const GUARD = { path: "contracts/Guard.sol", source: "contract Guard { function f() external { g(); } }" };
const OTHER = { path: "contracts/Other.sol", source: "contract Other { constructor() {} }" };
const INTERFACE = {
  path: "contracts/IGuard.sol",
  source: "// was: function f() external { }\ninterface IGuard { function f() external; }",
};

const record = (path: string, ...counts: string[]) =>
  ["TN:", `SF:${path}`, ...counts.map((count) => `DA:${count}`), "LH:1", "end_of_record", ""].join("\n");

const outcomes = (contracts: Parameters<typeof judge>[0], lcov: string) =>
  judge(contracts, parseLcov(lcov)).map(({ outcome }) => outcome);

const passes = (contracts: Parameters<typeof judge>[0], lcov: string) =>
  isComplete(judge(contracts, parseLcov(lcov)));

describe("the coverage that is demanded of contracts/", () => {
  it("the coverage that is demanded of contracts/ is met when every line was run", () => {
    expect(passes([GUARD, INTERFACE], record(GUARD.path, "3,1", "4,250"))).to.equal(true);
  });

  it("the coverage that is demanded of contracts/ is not met when a line was never run, which is named", () => {
    const files = parseLcov(record(GUARD.path, "12,0", "3,1", "4,0"));
    expect(files).to.deep.equal([{ path: GUARD.path, found: 3, missed: [4, 12] }]);
    expect(isComplete(judge([GUARD], files))).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not met when a contract is absent", () => {
    const lcov = record(GUARD.path, "3,1");
    expect(outcomes([GUARD, OTHER], lcov)).to.deep.equal(["complete", "unmeasured"]);
    expect(passes([GUARD, OTHER], lcov)).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not met when a contract is there without a line", () => {
    expect(passes([GUARD, OTHER], record(GUARD.path, "3,1") + record(OTHER.path))).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not met by an empty trace file, or when there is no contract to judge", () => {
    expect(passes([GUARD], "")).to.equal(false);
    expect(passes([INTERFACE], "")).to.equal(false);
    expect(passes([], "")).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not asked of a file without a body to run, whatever its comments say", () => {
    expect(outcomes([INTERFACE], "")).to.deep.equal(["empty"]);
  });

  it("the coverage that is demanded of contracts/ does not take one file for another whose path ends alike", () => {
    expect(passes([GUARD], record(`test/${GUARD.path}`, "3,1"))).to.equal(false);
  });
});

describe("an lcov trace file", () => {
  const folder = testFolder("lcov");

  it("reads an lcov trace file from the disk", () => {
    const path = join(folder, "lcov.info");
    writeFileSync(path, record(GUARD.path, "3,1"));
    expect(readLcov(path)).to.deep.equal([{ path: GUARD.path, found: 1, missed: [] }]);
  });

  it("that is missing is an error, and not nothing to complain about", () => {
    const path = join(folder, "missing.info");
    expect(() => readLcov(path)).to.throw(`No coverage was written: ${path} does not exist.`);
  });

  it("adds what two records say of one file", () => {
    expect(parseLcov(record("a.sol", "1,0", "2,0") + record("a.sol", "1,4"))).to.deep.equal([
      { path: "a.sol", found: 2, missed: [2] },
    ]);
  });

  it("an lcov trace file may have the line ends of another system", () => {
    expect(parseLcov(record("a.sol", "1,1").replaceAll("\n", "\r\n"))).to.have.length(1);
  });

  it("that breaks off inside a file is refused", () => {
    expect(() => parseLcov("SF:a.sol\nDA:1,1\n")).to.throw("the last file is not closed");
    expect(() => parseLcov("SF:a.sol\nDA:1,1\nSF:b.sol\nend_of_record\n")).to.throw("begins inside another");
  });

  it("with a line that belongs to no file, or that is no number, is refused", () => {
    expect(() => parseLcov("DA:1,1\n")).to.throw('unexpected "DA:1,1"');
    expect(() => parseLcov("SF:a.sol\nDA:1,-\nend_of_record\n")).to.throw('unexpected "DA:1,-"');
  });
});
