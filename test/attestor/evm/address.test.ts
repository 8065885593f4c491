import { expect } from "chai";
import { getCreateAddress } from "ethers";
import fc from "fast-check";
import { executorOf } from "../../../attestor/evm/address.ts";
import { address } from "../../support/arbitraries.ts";

describe("the executor of a guard", () => {
  it("stands where the guard's first creation puts it", () => {
    fc.assert(
      fc.property(address, (guard) => {
        const expected = getCreateAddress({ from: guard, nonce: 1 });
        expect(executorOf(guard)).to.equal(expected);
        expect(executorOf(guard.toLowerCase())).to.equal(expected);
      }),
    );
  });
});
