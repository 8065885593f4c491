/**
 * Moves the local market: the feeds follow the stocks' prices, and a trader keeps the pools near them. One tick is one
 * block. Every tick follows from the seed, the clock and the chain's state.
 */
import { repeat } from "../api/repeat.ts";
import { localAccounts } from "./accounts.ts";
import type { LocalNode } from "./chain/node.ts";
import { type Clock, unixSeconds } from "./clock.ts";
import type { Pool } from "./dex/pools.ts";
import { type PoolState, readPool, tradeOf, tradeTo } from "./dex/trades.ts";
import { randomStream } from "./random.ts";
import { readAggregator } from "./references.ts";
import { batch, type Call, failedCalls, receiptOf, transactionOf } from "./sender.ts";
import { tokenPrice } from "./stocks.ts";
import { closingPrice, livePrices, midnightBefore, type World } from "./world.ts";

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

interface SimulationOptions {
  readonly node: LocalNode;
  readonly world: World;
  readonly clock: Clock;
  /** Of the trades. */
  readonly seed: number;
}

export function createSimulation(options: SimulationOptions) {
  const { node, world, clock } = options;
  const { publisher, trader } = localAccounts();

  /** Publishes the prices of the clock's time and trades. */
  async function tick(): Promise<Tick> {
    const now = unixSeconds(clock);
    const publications = [...livePrices(world, now), ...(await closesOf(node, world, now))];
    const trades = await tradesOf(options, now);
    const hashes = await node.mine([
      transactionOf(publisher.address, batch(world.market.publisher, publications)),
      transactionOf(trader.address, batch(world.market.trader, trades)),
    ]);
    const [published, traded] = await Promise.all(hashes.map((hash) => receiptOf(node, hash)));
    if (!published!.succeeded || !traded!.succeeded) throw new Error("a transaction of the market reverted");
    if (failedCalls(published!) > 0) throw new Error("a feed refused its new price");
    return {
      blockNumber: published!.blockNumber,
      prices: Object.fromEntries(world.stocks.map(({ plan, priceAt }) => [plan.symbol, priceAt(now)])),
      trades: trades.length,
      failedTrades: failedCalls(traded!),
    };
  }

  return { tick };
}

/** The official closes, on the first tick of a UTC day. */
async function closesOf(node: LocalNode, { stocks }: World, now: number): Promise<Call[]> {
  const calls: Call[] = [];
  for (const stock of stocks) {
    const { at } = await readAggregator(node, stock.close);
    if (at < midnightBefore(now)) calls.push(closingPrice(stock, now));
  }
  return calls;
}

/** What brings the pools back to the prices, and now and then somebody's trade. */
async function tradesOf({ node, world, seed }: SimulationOptions, now: number): Promise<Call[]> {
  const random = randomStream(seed, "trades", now);
  const poolCount = world.stocks.reduce((count, { pools }) => count + pools.length, 0);
  const noisy = Math.floor((random() / NOISE_CHANCE) * poolCount);
  const calls: Call[] = [];
  let number = 0;
  for (const { plan, pools, priceAt } of world.stocks)
    for (const pool of pools) {
      const state = await readPool(node, pool);
      const back = arbitrage(world, pool, state, tokenPrice(plan, priceAt(now)));
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
