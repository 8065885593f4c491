import { expect } from "chai";
import type { JsonRpcProvider } from "ethers";
import { LISTINGS } from "../../../market/registry/listings.ts";
import { checkRoute } from "../../../scripts/guard/allowlists.ts";
import { metadataOf, nameOfContract, tokenAt } from "../../../scripts/guard/known.ts";

const ADDRESS = "0x1111111111111111111111111111111111111111";
const PANCAKE = "0x10ED43C718714eb63d5aA57B78B54704E256024E";
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

/** A chain with one contract, which answers no view. */
function chain(code: string, storage: Record<string, string> = {}): JsonRpcProvider {
  return {
    getCode: async () => code,
    getStorage: async (_: string, slot: string) => storage[slot] ?? `0x${"00".repeat(32)}`,
    call: async () => {
      throw Object.assign(new Error("reverted"), { code: "CALL_EXCEPTION" });
    },
  } as unknown as JsonRpcProvider;
}
const context = (provider: JsonRpcProvider) => ({
  connection: { provider, chainId: 56 },
  place: { guard: "0x2222222222222222222222222222222222222222" },
  registry: null,
});
const EXECUTOR = "0x3333333333333333333333333333333333333333";
const key = { route: ADDRESS, selector: "0x38ed1739" };

describe("A route that is to be listed", () => {
  it("A route that is to be listed is warned of when nobody knows it, and when it can be made another", async () => {
    const plain = await checkRoute(context(chain("0x6338ed173900")), EXECUTOR, key);
    expect(plain.label).to.equal(null);
    expect(plain.warnings.join("\n"))
      .to.contain("this contract is not known here")
      .and.to.not.contain("proxy");
    const slot = { [IMPLEMENTATION]: `0x${"00".repeat(12)}${"44".repeat(20)}` };
    const proxy = await checkRoute(context(chain("0x6338ed173900", slot)), EXECUTOR, key);
    expect(proxy.warnings.join("\n")).to.contain("it is a proxy (EIP-1967)");
    const without = await checkRoute(context(chain("0x6000")), EXECUTOR, key);
    expect(without.warnings.join("\n")).to.contain("code does not contain 0x38ed1739");
  });

  it("A route that is to be listed is known as a published deployment on its own chain alone", async () => {
    const { label } = await checkRoute(context(chain("0x6338ed173900")), EXECUTOR, {
      ...key,
      route: PANCAKE,
    });
    expect(label).to.equal("the published PancakeSwap V2 router");
    expect(nameOfContract(1, null, PANCAKE, null)).to.equal(null);
  });

  it("A route that is to be listed is no account that delegates to code, and none of the listed tokens", async () => {
    const refused = (provider: JsonRpcProvider, route: string) =>
      checkRoute(context(provider), EXECUTOR, { ...key, route }).catch((error: Error) => error.message);
    expect(await refused(chain(`0xef0100${"44".repeat(20)}`), ADDRESS)).to.contain("EIP-7702");
    const listing = LISTINGS.find(({ chain: name }) => name === "bnb")!;
    const [ticker, address] = Object.entries(listing.addresses)[0]!;
    expect(await refused(chain("0x6000"), address)).to.contain(`the listed token ${ticker}`);
    expect(tokenAt(31337, null, address)).to.equal(null);
  });
});

describe("The compiler's hash at the end of a contract's code", () => {
  it("The compiler's hash at the end of a contract's code is read by the length that follows it, and not where there is none", () => {
    const tail = `${"a2".repeat(51)}0033`;
    expect(metadataOf(`0x6080${tail}`)).to.equal(tail);
    for (const code of ["0x", "0x6000", `0x60${"00".repeat(10)}ffff`])
      expect(metadataOf(code)).to.equal(null);
  });
});
