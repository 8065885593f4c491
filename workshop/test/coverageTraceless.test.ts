import { expect } from "chai";
import { traceless } from "../solidity/coverageTraceless.ts";

const LIBRARY = `library Coverage {
  function hit(uint256 coverageId) private view {
    assembly {
      let ptr := mload(0x40)
      mstore(ptr, coverageId)
      pop(
        staticcall(gas(), 0x01, ptr, 32, 0, 0)
      )
    }
  }
}
`;

describe("what coverage puts between two statements of a contract", () => {
  it("leaves memory as it found it", () => {
    const lines = traceless(LIBRARY)
      .split("\n")
      .map((line) => line.trim())
      .slice(3, 10);
    expect(lines).to.deep.equal([
      "let ptr := mload(0x40)",
      "let found := mload(ptr)",
      "mstore(ptr, coverageId)",
      "pop(",
      "staticcall(gas(), 0x01, ptr, 32, 0, 0)",
      ")",
      "mstore(ptr, found)",
    ]);
  });

  it("is refused when it is written in another way, so that no coverage is measured with spoiled memory", () => {
    expect(() =>
      traceless(LIBRARY.replace("coverageId)\n      pop", "coverageId) // elsewhere pop")),
    ).to.throw("in another way");
  });
});
