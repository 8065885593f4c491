/**
 * A local world for tests: the real chain with published DEX bytecode, in a temporary directory, on a free port. Its
 * time stands still until the test moves it. Nothing happens by itself: call `tick()` to move the market.
 *
 * `testWorld()` is what a suite takes. A process has one world, which it lends to suite after suite: what one did to the
 * chain and the clock is undone for the next, and each has a folder of its own. So a suite may rotate the guard's signer,
 * halt tokens and move time without care for others. `createWorld` makes another one where a test needs two.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonRpcProvider } from "ethers";
import { type ChainPriceSource, isChainPrice } from "../../attestor/sources.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import type { LocalNode } from "../../devnet/chain/node.ts";
import { startWorld } from "../../devnet/chain.ts";
import { type ManualClock, manualClock, unixSeconds } from "../../devnet/clock.ts";
import { PYTH, publishToAggregator, publishToPyth, readAggregator } from "../../devnet/references.ts";
import { SECOND_DOLLAR, secondDollar } from "../../devnet/secondDollar.ts";
import { type Call, call, createSender, sendBatch, view } from "../../devnet/sender.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { LocalStock__factory } from "../../types/contracts/factories/devnet/contracts/LocalStock__factory.ts";
import { ofSuite } from "./suite.ts";

/** Friday, 14 November 2025, 15:00 UTC: in the middle of a regular session. */
export const WORLD_TIME = Date.UTC(2025, 10, 14, 15);

/** One of a test's own is ended by `await using`. */
export type TestWorld = Awaited<ReturnType<typeof createWorld>>;

/** Without batching or caching, and with fast polling. */
const providerFor = (url: string) =>
  new JsonRpcProvider(url, undefined, { batchMaxCount: 1, pollingInterval: 10, cacheTimeout: -1 });

/** @param options.clock by default a clock stopped at WORLD_TIME */
export async function createWorld(options: { clock?: ManualClock; seed?: number } = {}) {
  const clock = options.clock ?? manualClock(WORLD_TIME);
  const dataDir = await mkdtemp(join(tmpdir(), "assay-world-"));
  const local = await startWorld(dataDir, 0, clock, options.seed ?? 1);
  const { node: chain, simulation, world } = local;
  const { deployment, dex } = world;
  const provider = providerFor(local.url);
  const accounts = localAccounts();
  const deployer = createSender(chain, accounts.deployer);
  const publisher = createSender(chain, accounts.publisher);
  const stockAbi = LocalStock__factory.createInterface();

  function asset(symbol: string) {
    const found = deployment.registry.assets.find((candidate) => candidate.symbol === symbol);
    if (found === undefined) throw new Error(`the local world has no ${symbol}`);
    return found;
  }

  const feeds = (symbol: string) => asset(symbol).priceSources.filter(isChainPrice);
  const publish = (publication: Call) => sendBatch(publisher, world.market.publisher, [publication]);
  const ofStock = async (symbol: string, name: string, ...args: unknown[]): Promise<void> => {
    await deployer.send(call(asset(symbol).address, stockAbi, name, args));
  };

  /**
   * Publishes a price per share. To all live feeds, or to the one named.
   * @param at Unix seconds; the clock's time if left out. Pyth's mock keeps the newest price. So the clock moves on a second
   * when the mock has a price of this one, and an `at` that is not newer is an error.
   */
  async function publishReference(
    symbol: string,
    price: number,
    at?: number,
    only?: "pyth" | "chainlink" | "close",
  ): Promise<void> {
    for (const feed of feeds(symbol)) {
      const name = feed.kind === "close" ? "close" : feed.provider;
      if (only === undefined ? feed.kind === "close" : name !== only) continue;
      if (feed.provider === "chainlink") {
        await publish(publishToAggregator(feed.address, price, at ?? unixSeconds(clock)));
        continue;
      }
      const { address, feedId } = feed;
      const last = (await readFeed(chain, feed)).at;
      if (at !== undefined && at <= last)
        throw new Error(`Pyth's mock has a price of ${last}; ${at} is not newer`);
      if (at === undefined && unixSeconds(clock) <= last) clock.set((last + 1) * 1000);
      await publisher.send(publishToPyth(address, [{ feedId, price, at: at ?? unixSeconds(clock) }]));
    }
  }

  async function stop(): Promise<void> {
    provider.destroy();
    await local.stop();
    await rm(dataDir, { recursive: true, force: true });
  }

  return {
    /** JSON-RPC. */
    url: local.url,
    /** Connected to `url`. */
    provider,
    /** The node in this process, `evm_` and `hardhat_` methods included. */
    chain,
    deployment,
    /** Factories, routers and quoter beyond what the deployment names. */
    dex,
    /** The contracts through which publisher and trader act. */
    market: world.market,
    accounts,
    clock,
    dataDir,
    /** Address of a token by symbol, USDL and the second dollar USDT included. */
    token: (symbol: string) => (symbol === SECOND_DOLLAR.symbol ? secondDollar() : asset(symbol).address),
    /** Asset key of a token by symbol. */
    assetKey: (symbol: string) => asset(symbol).assetKey,
    /** The feeds on the chain that state the price of a token by symbol. */
    feeds,
    /** Moves the clock by `seconds` and then the market by one step: new prices, trades, one block. */
    async tick(seconds = 15) {
      clock.advance(seconds * 1000);
      return await simulation.tick();
    },
    publishReference,
    setHalted: (symbol: string, halted: boolean) => ofStock(symbol, "setTradingHalted", halted),
    /** At once and unannounced. @param shares with 18 decimals */
    setSharesPerToken: (symbol: string, shares: bigint) => ofStock(symbol, "setUIMultiplier", shares),
    /** Announces a change. @param effectiveAt unix seconds */
    scheduleSharesPerToken: (symbol: string, shares: bigint, effectiveAt: number) =>
      ofStock(symbol, "scheduleUIMultiplier", shares, effectiveAt),
    /** As the guard's admin. */
    async setRoute(route: string, selector: string, allowed: boolean) {
      const guard = TradeGuard__factory.createInterface();
      const name = allowed ? "allowRoute" : "disallowRoute";
      await deployer.send(call(deployment.guard, guard, name, [route, selector]));
    },
    /** Mines empty blocks at the clock's time. */
    async mine(blocks = 1) {
      for (let block = 0; block < blocks; block++) await chain.mine();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** What a feed on the chain says. */
export interface FeedState {
  /** US dollars per share. */
  readonly price: number;
  /** Unix seconds. */
  readonly at: number;
  /** How many prices the feed has had; Pyth's mock does not count. */
  readonly rounds: number | null;
}

/** @throws Error before its first price */
export async function readFeed(node: Pick<LocalNode, "request">, feed: ChainPriceSource): Promise<FeedState> {
  if (feed.provider === "chainlink") return readAggregator(node, feed.address);
  const [{ price, expo, publishTime }] = await view(node, feed.address, PYTH.abi, "getPriceUnsafe", [
    feed.feedId,
  ]);
  return { price: Number(price) * 10 ** Number(expo), at: Number(publishTime), rounds: null };
}

/** The first user's trade, AAPLx for 250 dollars, which STRICT_LIVE allows. */
export const purchaseIn = (world: TestWorld) => ({
  ownerAddress: world.accounts.users[0]!.address,
  inputAssetKey: world.assetKey("USDL"),
  outputAssetKey: world.assetKey("AAPLx"),
  amountInRaw: "250000000",
  policyId: "STRICT_LIVE",
  maxSlippageBps: 50,
});

export interface WorldKind {
  make(): Promise<TestWorld>;
  /** What each suite finds done, after the chain is as it was when it was made. */
  begin(world: TestWorld): unknown;
}

const STANDING_STILL: WorldKind = {
  make: createWorld,
  begin: (world) => world.clock.set(WORLD_TIME),
};

/** The worlds of this process. */
const kept = new Map<WorldKind, Promise<TestWorld>>();

/** This process's world, lent to the suite, a `describe`: its end undoes what the suite did. */
export const testWorld = (kind = STANDING_STILL): TestWorld => ofSuite(() => lend(kind));

async function lend(kind: WorldKind): Promise<TestWorld> {
  if (!kept.has(kind)) kept.set(kind, kind.make());
  const world = await kept.get(kind)!;
  const snapshot = await world.chain.request("evm_snapshot");
  await kind.begin(world);
  const provider = providerFor(world.url);
  const dataDir = await mkdtemp(join(tmpdir(), "assay-world-"));
  await cp(world.dataDir, dataDir, { recursive: true });
  const stop = async () => {
    provider.destroy();
    // The root hook of a whole run may have stopped it before the last suite ends.
    if (kept.has(kind)) await world.chain.request("evm_revert", [snapshot]);
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...world, provider, dataDir, stop, [Symbol.asyncDispose]: stop };
}

/** Stops the worlds of this process; belongs into a root hook. */
export async function stopWorlds(): Promise<void> {
  const worlds = [...kept.values()];
  kept.clear();
  for (const world of worlds) await (await world).stop();
}
