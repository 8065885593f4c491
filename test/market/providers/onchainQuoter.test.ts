import { expect } from "chai";
import { AbiCoder, Interface } from "ethers";
import { CHAINS, type QuotingContract } from "../../../attestor/chains.ts";
import { createOnchainQuoter } from "../../../market/providers/onchainQuoter.ts";
import { captured } from "../../support/providers/captures.ts";
import { bench, expectOtherShapes, faultOf } from "../../support/providers/faults.ts";
import { json, type Reply } from "../../support/providers/upstream.ts";

const USDT = "0x55d398326f99059fF775485246999027B3197955";
const STOCK = "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d";
const REQUEST = { inputToken: USDT, outputToken: STOCK, amountIn: "1000" };
const QUOTER = "0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997";
const ROUTER = "0x10ED43C718714eb63d5aA57B78B54704E256024E";
const VENUES: QuotingContract[] = [
  { name: "v3", kind: "v3", quoter: QUOTER, fees: [500, 2_500] },
  { name: "v2", kind: "v2", router: ROUTER },
];
const MID = 2n ** 96n;
const coder = AbiCoder.defaultAbiCoder();

const result = (data: string | null) => json({ jsonrpc: "2.0", id: 1, result: data });
const V3_ANSWER = ["uint256", "uint160", "uint32", "uint256"];
const v3 = (amountOut: bigint, priceAfter = MID) =>
  result(coder.encode(V3_ANSWER, [amountOut, priceAfter, 1, 90_000]));
const v2 = (amountOut: bigint) => result(coder.encode(["uint256[]"], [[1_000n, amountOut]]));
const error = (code: number, message: string, status = 200): Reply =>
  json({ jsonrpc: "2.0", id: 1, error: { code, message, data: "0x" } }, status);
const reverted = error(3, "execution reverted");

describe("quotes on the chain", () => {
  const at = bench();
  const create = (venues = VENUES) => createOnchainQuoter({ ...at.deps, baseUrl: at.upstream.url, venues });

  it("come from the pool that gives most, at the block that was asked for", async () => {
    at.upstream.reply(v3(900n), v3(950n), v2(940n));
    expect(await create().quote(REQUEST, 4_660)).to.deep.include({
      provider: "onchain",
      venue: "v3",
      ...REQUEST,
      amountOut: "950",
    });
    const calls = at.upstream.asked.map(({ body }) => body);
    expect(calls.map(({ method, params }) => [method, params[0].to, params[1]])).to.eql([
      ["eth_call", QUOTER, "0x1234"],
      ["eth_call", QUOTER, "0x1234"],
      ["eth_call", ROUTER, "0x1234"],
    ]);
    const abi = new Interface([
      "function quoteExactInputSingle((address,address,uint256,uint24,uint160))",
      "function getAmountsOut(uint256,address[])",
    ]);
    const [single] = abi.decodeFunctionData("quoteExactInputSingle", calls[1].params[0].data);
    expect(single.toArray()).to.eql([USDT, STOCK, 1_000n, 2_500n, 0n]);
    const [, path] = abi.decodeFunctionData("getAmountsOut", calls[2].params[0].data);
    expect(path.toArray()).to.eql([USDT, STOCK]);
  });

  it("pass over pools that do not exist, however the node tells of a revert", async () => {
    const noPair = error(-32_000, "execution reverted: no pair");
    for (const way of [reverted, noPair, error(-32_603, "VM Exception: reverted", 500)]) {
      at.upstream.reply(way, way, v2(7n));
      expect(await create().quote(REQUEST, 1)).to.include({ venue: "v2", amountOut: "7" });
    }
  });

  it("quotes on the chain are null when every pool reverts, gives nothing, or runs empty at an end of its prices", async () => {
    at.upstream.reply(reverted);
    expect(await create().quote(REQUEST, 1)).to.equal(null);
    const highest = 1461446703485210103287273052203988822378723970341n;
    at.upstream.reply(v3(5n, 4_295_128_740n), v3(5n, highest), v2(0n));
    expect(await create().quote(REQUEST, 1)).to.equal(null);
  });

  it("quotes on the chain do not take another error of the node for a missing pool", async () => {
    at.upstream.reply(error(-32_000, "header not found"));
    expect((await faultOf(create().quote(REQUEST, 1))).code).to.equal("status");
    at.upstream.reply(error(-32_005, "limit exceeded"));
    expect((await faultOf(create().quote(REQUEST, 1))).code).to.equal("rate_limited");
  });

  it("quotes on the chain do not take an address without a contract for a missing pool", async () => {
    await expectOtherShapes(at, [{ jsonrpc: "2.0", id: 1, result: "0x" }], () => create().quote(REQUEST, 1));
  });

  it("know the number of the latest block", async () => {
    at.upstream.reply(json({ jsonrpc: "2.0", id: 1, result: "0x4a817c8" }));
    expect(await create().blockNumber()).to.equal(78_125_000);
    await expectOtherShapes(at, [{ jsonrpc: "2.0", id: 1, result: null }], () => create().blockNumber());
  });

  it("use the addresses that the exchanges publish", async () => {
    const capture = captured("onchain");
    const { addresses } = capture;
    expect(CHAINS.bnb.quoting.map((venue) => (venue.kind === "v3" ? venue.quoter : venue.router))).to.eql([
      addresses.pancakeV3QuoterV2,
      addresses.pancakeV2Router,
      addresses.uniswapV3QuoterV2,
    ]);
    at.upstream.reply(json(capture.rpc.response_revert));
    expect(await create().quote(REQUEST, 1)).to.equal(null);
  });
});
