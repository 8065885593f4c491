import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { poolAddress } from "../../attestor/pools/create2.ts";
import { readPool } from "../../devnet/dex/trades.ts";
import { startSimulation } from "../../devnet/simulation.ts";
import { STOCKS, tokenPrice } from "../../devnet/stocks.ts";
import { ofTest } from "../support/suite.ts";
import { createWorld, type FeedState, readFeed, type TestWorld, WORLD_TIME } from "../support/world.ts";

type FeedName = "pyth" | "chainlink" | "close";

const feed = (world: TestWorld, symbol: string, name: FeedName): Promise<FeedState> => {
  const named = ({ provider, kind }: { provider: string; kind?: string }) =>
    (kind === "close" ? "close" : provider) === name;
  return readFeed(world.chain, world.feeds(symbol).find(named)!);
};

/** The farthest that a pool's price stands from the reference, in basis points. */
async function farthest(world: TestWorld): Promise<number> {
  let most = 0;
  for (const stock of STOCKS) {
    const fair = tokenPrice(stock, (await feed(world, stock.symbol, "chainlink")).price);
    for (const plan of stock.pools) {
      const [token, dollar] = [world.token(stock.symbol), world.token("USDL")];
      const route = world.deployment.registry.routes.find(({ kind }) => kind === plan.kind)!;
      const address = poolAddress(route, token, dollar, plan.kind === "uniswap-v2" ? null : plan.fee)!;
      const { price } = await readPool(world.chain, { ...plan, address, stock: token, dollar });
      most = Math.max(most, Math.abs(price / fair - 1) * 10_000);
    }
  }
  return most;
}

describe("The market simulation", () => {
  const world = ofTest(() => createWorld());

  it("moves every feed with a tick, all sources alike, in one block", async () => {
    const before = await world.provider.getBlockNumber();
    const prices = await Promise.all(STOCKS.map(({ symbol }) => feed(world, symbol, "chainlink")));
    const tick = await world.tick(30);
    expect(tick.blockNumber).to.equal(before + 1);
    expect(await world.provider.getBlockNumber()).to.equal(before + 1);
    for (const [index, { symbol }] of STOCKS.entries()) {
      const [pyth, chainlink] = [await feed(world, symbol, "pyth"), await feed(world, symbol, "chainlink")];
      expect(chainlink.at).to.equal(WORLD_TIME / 1000 + 30);
      expect(pyth.at).to.equal(chainlink.at);
      expect(Math.abs(chainlink.price - tick.prices[symbol]!)).to.be.at.most(1e-8);
      expect(Math.abs(pyth.price / chainlink.price - 1)).to.be.lessThan(1e-6);
      const { price } = prices[index]!;
      expect(chainlink.price).to.not.equal(price);
      expect(Math.abs(chainlink.price / price - 1) * 10_000).to.be.lessThan(10);
    }
  });

  it("keeps every pool within 20 bps of its reference, and its trades succeed", async () => {
    let [trades, failed, most] = [0, 0, 0];
    for (let step = 0; step < 120; step++) {
      const tick = await world.tick(30);
      trades += tick.trades;
      failed += tick.failedTrades;
      if (step % 4 === 3) most = Math.max(most, await farthest(world));
    }
    expect(trades).to.be.within(20, 400);
    expect(failed).to.equal(0);
    expect(most).to.be.within(1, 20);
  });

  it("lets the pools follow a jump of the reference at once", async () => {
    world.clock.advance(5_000);
    await world.publishReference("TSLAx", 480);
    await world.publishReference("SPYx", 600);
    expect(await farthest(world)).to.be.greaterThan(1_000);
    await world.tick();
    expect(await farthest(world)).to.be.lessThan(20);
  });

  it("does the same with the same seed, and something else with another", async () => {
    const prices = async (other: TestWorld) => {
      let last = {};
      for (let step = 0; step < 5; step++) last = (await other.tick(30)).prices;
      return [last, await other.chain.request("eth_getBlockByNumber", ["latest", false])];
    };
    await using twin = await createWorld({ seed: 1 });
    await using stranger = await createWorld({ seed: 2 });
    const [first, second, third] = [await prices(world), await prices(twin), await prices(stranger)];
    expect(second).to.deep.equal(first);
    expect(third[0]).to.not.deep.equal(first[0]);
  });

  it("publishes the official close once a UTC day, as of midnight", async () => {
    const midnight = Date.UTC(2025, 10, 15) / 1000;
    expect((await feed(world, "AAPLx", "close")).at).to.equal(midnight - 86_400);
    world.clock.set((midnight - 40) * 1000);
    const { prices } = await world.tick(30);
    expect((await feed(world, "AAPLx", "close")).at).to.equal(midnight - 86_400);
    await world.tick(30);
    const close = await feed(world, "AAPLx", "close");
    expect(close.at).to.equal(midnight);
    // The last prices before it are ten seconds older.
    expect(Math.abs(close.price / prices.AAPLx! - 1) * 10_000).to.be.within(0, 5);
    await world.tick(30);
    expect((await feed(world, "AAPLx", "close")).rounds).to.equal(close.rounds);
  });

  it("logs a tick that fails, tries again, and stops cleanly", async () => {
    const lines: string[] = [];
    let ticks = 0;
    const tick = async () => {
      if (++ticks === 1) throw new Error("no luck");
      return { blockNumber: 1, prices: {}, trades: 0, failedTrades: 0 };
    };
    const log = (line: string) => void lines.push(line);
    const running = startSimulation({ simulation: { tick }, intervalMs: 5, log });
    while (ticks < 3) await sleep(5);
    await running.stop();
    const after = ticks;
    await sleep(30);
    expect(ticks).to.equal(after);
    expect(lines).to.deep.equal(["The market simulation missed a tick: no luck"]);
  });
});
