import { readFileSync } from "node:fs";
import { expect } from "chai";
import { getCreate2Address, keccak256, toBeHex } from "ethers";
import fc from "fast-check";
import {
  EXECUTOR_CODE_HASH,
  EXECUTORS,
  executorAt,
  executorNumber,
} from "../../../attestor/evm/executors.ts";
import { RouteExecutor__factory } from "../../../types/contracts/factories/contracts/RouteExecutor__factory.ts";
import { bytes } from "../../support/arbitraries.ts";

const METHOD = new URL("../../../docs/spec/verification.md", import.meta.url);

describe("the executors of a guard", () => {
  it("the executors of a guard have the code that the compiler makes of them: this constant follows the contract", () => {
    expect(EXECUTOR_CODE_HASH).to.equal(keccak256(RouteExecutor__factory.bytecode));
  });

  it("the executors of a guard are computed by the same constant in the method of verification", () => {
    expect(readFileSync(METHOD, "utf8")).to.contain(EXECUTOR_CODE_HASH);
  });

  it("are where CREATE2 puts them, and are found by their numbers", () => {
    fc.assert(
      fc.property(bytes(20), fc.nat(EXECUTORS - 1), (guard, number) => {
        const expected = getCreate2Address(guard, toBeHex(number, 32), EXECUTOR_CODE_HASH);
        expect(executorAt(guard, number)).to.equal(expected);
        expect(executorNumber(guard, expected)).to.equal(number);
        expect(executorNumber(guard, expected.toLowerCase())).to.equal(number);
      }),
      { numRuns: 30 },
    );
  });

  it("the executors of a guard are no others, and not those of another guard", () => {
    fc.assert(
      fc.property(bytes(20), bytes(20), (guard, other) => {
        expect(executorNumber(guard, other)).to.equal(null);
        expect(executorNumber(guard, executorAt(guard, EXECUTORS))).to.equal(null);
        expect(executorNumber(guard, executorAt(other, 0))).to.equal(null);
      }),
      { numRuns: 5 },
    );
  });
});
