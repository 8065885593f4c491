/**
 * Moves the local market: reference prices wander, the feeds follow, and a trader keeps the pools near them. One tick is
 * one block. Every tick follows from the seed and the chain's state, so a restart changes nothing.
 */
import { repeat } from "../api/repeat.ts";
import { poolAddress } from "../attestor/pools/create2.ts";
import { isChainPrice, type ChainPriceSource as ReferenceFeed } from "../attestor/sources.ts";
import type { Deployment } from "../chain/deployment.ts";
import { localAccounts } from "./accounts.ts";
import { type Clock, unixSeconds } from "./clock.ts";
import type { Pool } from "./dex/pools.ts";
import { type PoolState, readPool, tradeOf, tradeTo } from "./dex/trades.ts";
import { bell, randomStream } from "./random.ts";
import {
  DOLLAR_FEED_ID,
  DOLLAR_PRICE,
  type FeedState,
  publishToAggregator,
  publishToPyth,
  readFeed,
} from "./references.ts";
import { batch, type Call, type ChainAccess, createSender, failedCalls, minedReceipt } from "./sender.ts";
import { STOCKS, type StockPlan, tokenPrice } from "./stocks.ts";
import type { World } from "./world.ts";

const DAY = 86_400;
/** Standard deviation of a price's step: about what a large stock does in the seconds between ticks. */
const STEP_BPS = 3;
/** How strongly a price is drawn back to its base, per tick. */
const REVERSION = 0.002;
/** Prices stay between these parts of their base, well inside the range of the V3 positions. */
const LOWEST = 0.5;
const HIGHEST = 2;
/** A pool farther than this from the reference is traded back, to a third of it. */
const TOLERANCE_BPS = 12;
/** The largest noise trade as a part of the pool's depth; it moves the price by twice that. */
const LARGEST_NOISE = 0.0004;

/** The share of ticks that have a noise trade. */
const NOISE_CHANCE = 0.3;

export interface Tick {
  readonly blockNumber: number;
  /** US dollars per share, by symbol. */
  readonly prices: Readonly<Record<string, number>>;
  /** Trades sent, and how many of them reverted because someone traded in between. */
  readonly trades: number;
  readonly failedTrades: number;
}

export type Simulation = ReturnType<typeof createSimulation>;

interface Instrument {
  readonly stock: StockPlan;
  readonly pyth: Extract<ReferenceFeed, { provider: "pyth" }>;
  readonly live: ReferenceFeed;
  readonly close: ReferenceFeed;
  readonly pools: readonly Pool[];
}

export interface SimulationDeps {
  readonly chain: ChainAccess;
  readonly world: World;
  readonly clock: Clock;
  /** Same seed, same prices. */
  readonly seed: number;
}

export function createSimulation(deps: SimulationDeps) {
  const { chain, world, clock, seed } = deps;
  const { market } = world;
  const accounts = localAccounts();
  const publisher = createSender(chain, accounts.publisher);
  const trader = createSender(chain, accounts.trader);
  const instruments = STOCKS.map((stock) => findInstrument(world.deployment, stock));

  /**
   * Publishes the next prices as of the clock's time and trades. Within a second of the last prices it only trades:
   * a feed does not take a price that is not newer.
   */
  async function tick(): Promise<Tick> {
    const now = unixSeconds(clock);
    const states = await Promise.all(instruments.map(({ live }) => readFeed(chain, live)));
    const publishes = states.every(({ at }) => at < now);
    const moved = instruments.map((instrument, index) => ({
      ...instrument,
      price: publishes ? nextPrice(seed, instrument.stock, states[index]!) : states[index]!.price,
    }));
    const publications = publishes
      ? [...publicationsOf(world, moved, now), ...(await closes(chain, instruments, states, now))]
      : [];
    const random = randomStream(seed, "trades", states[0]!.rounds ?? 0);
    const trades = await tradesOf(deps, moved, random);
    const raws = [
      ...(publications.length > 0 ? await publisher.sign([batch(market.publisher, publications)]) : []),
      ...(trades.length > 0 ? await trader.sign([batch(market.trader, trades)]) : []),
    ];
    const block = raws.length > 0 ? await chain.mine(raws) : null;
    const receipts = await Promise.all((block?.transactions ?? []).map((hash) => minedReceipt(chain, hash)));
    if (receipts.some(({ succeeded }) => !succeeded)) throw new Error("a transaction of the market reverted");
    if (publications.length > 0 && failedCalls(receipts[0]!) > 0)
      throw new Error("a feed refused its new price");
    return {
      blockNumber: block?.number ?? Number(await chain.request("eth_blockNumber")),
      prices: Object.fromEntries(moved.map(({ stock, price }) => [stock.symbol, price])),
      trades: trades.length,
      failedTrades: trades.length > 0 ? failedCalls(receipts.at(-1)!) : 0,
    };
  }

  return { tick };
}

/** With its price of this tick, US dollars per share. */
type Moved = Instrument & { readonly price: number };

/** Every live feed's new price, the dollar's among them. */
function publicationsOf({ deployment }: World, moved: readonly Moved[], now: number): Call[] {
  return [
    publishToPyth(moved[0]!.pyth.address, [
      ...moved.map(({ pyth, price }) => ({ feedId: pyth.feedId, price, at: now })),
      { feedId: DOLLAR_FEED_ID, price: DOLLAR_PRICE, at: now },
    ]),
    publishToAggregator(dollarAggregator(deployment), DOLLAR_PRICE, now),
    ...moved.map(({ live, price }) => publishToAggregator(live.address, price, now)),
  ];
}

/** What brings the pools back to the prices, and now and then somebody's trade. */
async function tradesOf(
  { chain, world }: SimulationDeps,
  moved: readonly Moved[],
  random: () => number,
): Promise<Call[]> {
  const calls: Call[] = [];
  const poolCount = moved.reduce((count, { pools }) => count + pools.length, 0);
  const noisy = Math.floor((random() / NOISE_CHANCE) * poolCount);
  let number = 0;
  for (const { stock, pools, price } of moved)
    for (const pool of pools) {
      const state = await readPool(chain, pool);
      const fair = tokenPrice(stock, price);
      const back = arbitrage(world, pool, state, fair);
      if (back !== null) calls.push(back);
      if (number++ === noisy) {
        const usd = pool.depthUsd * LARGEST_NOISE * (0.1 + 0.9 * random());
        calls.push(tradeOf(world.dex, pool, state, usd, random() < 0.5, world.market.trader));
      }
    }
  return calls;
}

function arbitrage({ dex, market }: World, pool: Pool, state: PoolState, fair: number): Call | null {
  const bps = (state.price / fair - 1) * 10_000;
  if (Math.abs(bps) <= TOLERANCE_BPS) return null;
  const target = fair * (1 + (Math.sign(bps) * TOLERANCE_BPS) / 3 / 10_000);
  return tradeTo(dex, pool, state, target, market.trader);
}

/** The price after this one: a small step, drawn by the seed and the number of steps before it. */
export function nextPrice(
  seed: number,
  stock: StockPlan,
  { price, rounds }: Pick<FeedState, "price" | "rounds">,
) {
  const step = (bell(randomStream(seed, "price", stock.symbol, rounds ?? 0)) * STEP_BPS) / 10_000;
  const pull = (stock.basePrice / price - 1) * REVERSION;
  const next = price * (1 + step + pull);
  return Math.min(stock.basePrice * HIGHEST, Math.max(stock.basePrice * LOWEST, next));
}

/** On the first tick of a UTC day: the last price before it becomes the official close, as of midnight. */
async function closes(
  chain: ChainAccess,
  instruments: readonly Instrument[],
  states: readonly FeedState[],
  now: number,
): Promise<Call[]> {
  const midnight = now - (now % DAY);
  const calls: Call[] = [];
  for (const [index, { close }] of instruments.entries())
    if ((await readFeed(chain, close)).at < midnight)
      calls.push(publishToAggregator(close.address, states[index]!.price, midnight));
  return calls;
}

function findInstrument({ registry }: Deployment, stock: StockPlan): Instrument {
  const { assets, routes } = registry;
  const { address: token, priceSources } = assets.find(({ symbol }) => symbol === stock.symbol)!;
  const dollar = assets.find(({ kind }) => kind === "settlement")!.address;
  const feeds = priceSources.filter(isChainPrice);
  const pools = stock.pools.map((plan) => {
    const route = routes.find(({ kind }) => kind === plan.kind)!;
    const fee = plan.kind === "uniswap-v2" ? null : plan.fee;
    return { ...plan, stock: token, dollar, address: poolAddress(route, token, dollar, fee)! };
  });
  return {
    stock,
    pyth: feeds.find((feed) => feed.provider === "pyth")!,
    live: feeds.find(({ provider, kind }) => provider === "chainlink" && kind === "live")!,
    close: feeds.find(({ kind }) => kind === "close")!,
    pools,
  };
}

/** The Chainlink feed, beside Pyth's. */
function dollarAggregator({ registry }: Deployment): string {
  const dollar = registry.assets.find(({ kind }) => kind === "settlement")!;
  return dollar.priceSources.filter(isChainPrice).find(({ provider }) => provider === "chainlink")!.address;
}

/** A tick that failed is tried again this soon. */
const RETRY_MS = 5_000;

/** Ticks now and then every `intervalMs`. A tick that fails is logged and soon tried again. */
export function startSimulation(options: {
  simulation: Simulation;
  intervalMs: number;
  log: (line: string) => void;
}): { stop(): Promise<void> } {
  const { simulation, intervalMs, log } = options;
  const ticks = repeat(async () => {
    try {
      await simulation.tick();
    } catch (error) {
      log(`The market simulation missed a tick: ${(error as Error).message}`);
      setTimeout(() => ticks.soon(), RETRY_MS).unref();
    }
  }, intervalMs);
  return ticks;
}
