import { expect } from "chai";
import { isComplete, judge } from "../coverage.ts";

const GUARD = { path: "contracts/Guard.sol", source: "contract Guard { function f() external { g(); } }" };
const OTHER = { path: "contracts/Other.sol", source: "contract Other { constructor() {} }" };
const INTERFACE = {
  path: "contracts/IGuard.sol",
  source: "// was: function f() external { }\ninterface IGuard { function f() external; }",
};

const record = (path: string, ...counts: string[]) =>
  ["TN:", `SF:${path}`, ...counts.map((count) => `DA:${count}`), "LH:1", "end_of_record", ""].join("\n");

const outcomes = (contracts: Parameters<typeof judge>[0], lcov: string) =>
  judge(contracts, lcov).map(({ outcome }) => outcome);

const passes = (contracts: Parameters<typeof judge>[0], lcov: string) => isComplete(judge(contracts, lcov));

describe("the coverage that is demanded of contracts/", () => {
  it("the coverage that is demanded of contracts/ is met when every line was run", () => {
    expect(passes([GUARD, INTERFACE], record(GUARD.path, "3,1", "4,250"))).to.equal(true);
  });

  it("the coverage that is demanded of contracts/ is not met when a line was never run, which is named", () => {
    const verdicts = judge([GUARD], record(GUARD.path, "12,0", "3,1", "4,0"));
    expect(verdicts).to.deep.equal([{ path: GUARD.path, found: 3, missed: [4, 12], outcome: "missed" }]);
    expect(isComplete(verdicts)).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not met when a contract is absent, or there without a line", () => {
    const lcov = record(GUARD.path, "3,1");
    expect(outcomes([GUARD, OTHER], lcov)).to.deep.equal(["complete", "unmeasured"]);
    expect(passes([GUARD, OTHER], lcov)).to.equal(false);
    expect(passes([GUARD, OTHER], lcov + record(OTHER.path))).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not met by an empty trace file, or when there is no contract to judge", () => {
    expect(passes([GUARD], "")).to.equal(false);
    expect(passes([INTERFACE], "")).to.equal(false);
    expect(passes([], "")).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not asked of a file without a body to run, regardless of its comments", () => {
    expect(outcomes([INTERFACE], "")).to.deep.equal(["empty"]);
  });

  it("the coverage that is demanded of contracts/ does not take one file for another whose path ends alike", () => {
    expect(passes([GUARD], record(`test/${GUARD.path}`, "3,1"))).to.equal(false);
  });

  it("the coverage that is demanded of contracts/ is not read from a trace file that breaks off", () => {
    expect(() => judge([GUARD], `SF:${GUARD.path}\nDA:1,1\n`)).to.throw("the last file is not closed");
  });
});
