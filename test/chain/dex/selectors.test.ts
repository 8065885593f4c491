import { createRequire } from "node:module";
import { expect } from "chai";
import { Interface } from "ethers";
import { describeSelector, knownFunction, selectorFrom } from "../../../chain/dex/selectors.ts";

const load = createRequire(import.meta.url);
const abiOf = (path: string) => new Interface((load(path) as { abi: [] }).abi);

describe("Selectors of routers", () => {
  it("Selectors of routers are those of the published ABIs", () => {
    const v2 = abiOf("@uniswap/v2-periphery/build/UniswapV2Router02.json");
    const v3 = abiOf("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json");
    for (const name of [
      "swapExactTokensForTokens",
      "swapTokensForExactTokens",
      "swapExactTokensForTokensSupportingFeeOnTransferTokens",
    ])
      expect(knownFunction(v2.getFunction(name)!.selector)?.of, name).to.contain("Uniswap V2 router");
    for (const name of ["exactInputSingle", "exactInput"])
      expect(knownFunction(v3.getFunction(name)!.selector)?.of, name).to.contain("Uniswap V3 SwapRouter");
    // SwapRouter02 leaves the deadline out: https://docs.uniswap.org/contracts/v3/reference/periphery/interfaces
    expect(knownFunction("0x04e45aaf")?.signature).to.match(/^exactInputSingle\(/);
    expect(knownFunction("0x472b43f3")?.signature).to.equal(
      "swapExactTokensForTokens(uint256,uint256,address[],address)",
    );
  });

  it("tells selectors of routers in words, and says which are not known", () => {
    expect(describeSelector("0x38ed1739")).to.contain("swapExactTokensForTokens(");
    expect(describeSelector("0x12345678")).to.equal("0x12345678 (a function not known here)");
  });

  it("Selectors of routers are taken as four bytes, as a signature, or as a name that is the only one of its kind", () => {
    expect(selectorFrom("0x38ED1739")).to.equal("0x38ed1739");
    expect(selectorFrom("transferFrom(address,address,uint256)")).to.equal("0x23b872dd");
    expect(selectorFrom("swapTokensForExactTokens")).to.equal("0x8803dbee");
    for (const wrong of ["", "0x38ed17", "0x38ed173900", "exactInputSingle", "transfer", "f(", "38ed1739"])
      expect(selectorFrom(wrong), wrong).to.equal(null);
  });
});
