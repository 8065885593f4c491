/** Pools of the local world: what is read of them gives what their own quoters say, and costs as little as it should. */
import { expect } from "chai";
import { Contract, JsonRpcProvider } from "ethers";
import type { QuoteFacts } from "../../../attestor/evidence/facts.ts";
import { quoteContradictions } from "../../../attestor/evidence/quoteContradictions.ts";
import type { UniswapV3State } from "../../../attestor/pools/poolState.ts";
import type { Route } from "../../../attestor/registry.ts";
import { arePoolsOfRoute } from "../../../attestor/verify/registry.ts";
import { createBlockReader } from "../../../chain/blockReads.ts";
import { bestQuote, quotesOf } from "../../../chain/dex/best.ts";
import { createBlockMemo } from "../../../chain/facts/blockMemo.ts";
import { V2_ROUTER, V3_QUOTER } from "../../../devnet/artifacts.ts";
import { chainBehind, ownCaches } from "../../support/caches.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { ofSuite } from "../../support/suite.ts";
import { purchaseIn, testWorld } from "../../support/world.ts";

describe("a pool that is read", () => {
  const world = testWorld();
  const rpc = ofSuite(() => flakyRpc(world.url));
  const provider = ofSuite(async () => {
    await world.tick();
    const options = { staticNetwork: true, cacheTimeout: -1 };
    return new JsonRpcProvider(rpc.url, world.deployment.chainId, options);
  });

  async function requestFor(input: string, output: string, amountIn: bigint) {
    const caches = ownCaches();
    const reader = createBlockReader(provider, world.deployment.chainId, caches);
    const memo = createBlockMemo(caches);
    const block = await reader.head();
    return {
      reads: reader.at(block),
      atBlock: <T>(key: string, read: () => Promise<T>) => memo(block.blockHash, key, read),
      input: world.token(input),
      output: world.token(output),
      amountIn,
      settlementDecimals: 6,
    };
  }

  /** What the router or the quoter of a route says itself. */
  async function said(route: Route, path: readonly string[], fees: readonly number[], amountIn: bigint) {
    if (route.kind === "uniswap-v2") {
      const router = new Contract(route.address, V2_ROUTER.abi, world.provider);
      return (await router.getFunction("getAmountsOut").staticCall(amountIn, path)).at(-1);
    }
    const quoter = new Contract(route.quoter, V3_QUOTER.abi, world.provider);
    return (
      await quoter.getFunction("quoteExactInputSingle").staticCall([...path, amountIn, fees[0], 0n])
    )[0];
  }

  it("pays what its own quoter says, in both directions and at every size", async () => {
    const kinds = new Set<string>();
    for (const [input, output, unit] of [
      ["USDL", "AAPLx", 10n ** 6n],
      ["AAPLx", "USDL", 10n ** 16n],
      ["USDL", "TSLAx", 10n ** 6n],
    ] as const)
      for (const units of [1n, 250n, 10_000n, 300_000n]) {
        const request = await requestFor(input, output, units * unit);
        const quotes = await quotesOf(world.deployment.registry.routes, request);
        expect(quotes.length).to.be.at.least(1);
        for (const { route, path, fees, amountOut, pools } of quotes) {
          const name = `${route.name} ${fees}: ${units} ${input}`;
          expect(amountOut, name).to.equal(await said(route, path, fees, request.amountIn));
          if (pools !== null) kinds.add(route.kind);
        }
      }
    expect([...kinds].sort()).to.deep.equal(["uniswap-v2", "uniswap-v3"]);
  });

  it("stands where the registry says, and its evidence is complete and no more than that", async () => {
    const { routes } = world.deployment.registry;
    const found = new Set<string>();
    for (const route of routes)
      for (const side of ["buy", "sell"] as const) {
        const [input, output, amountIn] =
          side === "buy"
            ? (["USDL", "AAPLx", 2_000_000_000n] as const)
            : (["AAPLx", "USDL", 10n ** 19n] as const);
        const request = { ...(await requestFor(input, output, amountIn)), side };
        const { quote } = (await bestQuote([{ route, allowed: true }], request))!;
        expect(quote.pools, route.name).to.have.lengthOf(1);
        const decimals = { inputDecimals: side === "buy" ? 6 : 18, outputDecimals: side === "buy" ? 18 : 6 };
        expect(quoteContradictions(quote, { side, ...decimals })).to.deep.equal([]);
        expect(arePoolsOfRoute(quote, route)).to.equal(true);
        const elsewhere = {
          ...quote,
          pools: [{ ...quote.pools![0]!, address: route.address }],
        } as QuoteFacts;
        expect(arePoolsOfRoute(elsewhere, route)).to.equal(false);
        for (const pool of quote.pools!) found.add(pool.kind);
      }
    expect([...found].sort()).to.deep.equal(["uniswap-v2", "uniswap-v3"]);
  });

  it("a pool that is read is left to its own quoter where a trade walks further than evidence has room for", async () => {
    const route = world.deployment.registry.routes.find(({ kind }) => kind === "uniswap-v3")!;
    const request = await requestFor("USDL", "AAPLx", 10n ** 24n);
    for (const { fees, path, amountOut, pools } of await quotesOf([route], request)) {
      expect(amountOut).to.equal(await said(route, path, fees, request.amountIn));
      if (pools !== null) expect((pools[0] as UniswapV3State).words.length).to.be.at.most(256);
    }
  });

  it("costs the first job of a block two round trips and one search for events, and later ones nothing but the head", async () => {
    const chain = chainBehind(world, provider);
    const now = Math.floor(world.clock.now() / 1000);
    const job = (symbol: string, side: "buy" | "sell", amount: bigint) => {
      const [stock, dollar] = [world.assetKey(symbol), world.assetKey("USDL")];
      const [inputAssetKey, outputAssetKey] = side === "buy" ? [dollar, stock] : [stock, dollar];
      const purchase = purchaseIn(world);
      const trade = { inputAssetKey, outputAssetKey, amountInRaw: amount.toString() };
      return chain.facts({ ...purchase, ...trade, recipientAddress: purchase.ownerAddress }, now);
    };
    const costs = async (...made: Promise<unknown>[]) => {
      const answers = await Promise.all(made);
      const asked = rpc.requests.splice(0);
      return {
        answers,
        trips: asked.length,
        head: asked.filter(([first]) => first?.method === "eth_getBlockByNumber").length,
      };
    };
    rpc.requests.length = 0;
    // What is to be proved follows from the quote: of a pair that nobody asked for lately it is one trip more.
    const first = await costs(job("AAPLx", "buy", 250_000_000n));
    expect([first.trips, first.head]).to.deep.equal([4, 1]);
    const second = await costs(job("AAPLx", "buy", 260_000_000n));
    expect([second.trips, second.head]).to.deep.equal([1, 1]);
    await costs(job("TSLAx", "buy", 250_000_000n));
    await costs(job("TSLAx", "sell", 10n ** 18n));

    await world.mine();
    // Several that come together share all of it, and both pairs are there for those that come later.
    const together = await costs(...[1n, 2n, 3n].map((n) => job("AAPLx", "buy", n * 100_000_000n)));
    expect([together.trips, together.head]).to.deep.equal([3, 1]);
    const later = await costs(job("TSLAx", "sell", 10n ** 18n));
    expect([later.trips, later.head]).to.deep.equal([1, 1]);
    for (const { facts } of [...first.answers, ...together.answers, ...later.answers] as any[]) {
      expect(facts.quote.pools, "computed").to.have.lengthOf(1);
      expect(facts.proofs, "proved").to.have.property("format", "assay.proofs/1");
    }
  });
});
