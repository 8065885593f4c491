import { expect } from "chai";
import { MAX_WORDS, type PoolState, type UniswapV3State } from "../../../attestor/pools/poolState.ts";
import { poolOf, tradePath } from "../../../attestor/pools/quote.ts";
import { tradeV3, type V3Pool } from "../../../attestor/pools/v3.ts";
import { randomStream } from "../../../devnet/random.ts";
import { FEES, type PublishedPools, publishedPools } from "../../support/pools/publishedPools.ts";
import { bits, type Random, randomAmount, randomPair, randomPool } from "../../support/pools/randomPools.ts";

const nothingMet = () => ({
  quotes: 0,
  v2: 0,
  v3: 0,
  twoHops: 0,
  zeroForOne: 0,
  crossings: 0,
  /** Trades that cross five ticks or more. */
  manyCrossings: 0,
  /** Refused by both. */
  refused: 0,
  routers: 0,
  tiers: new Set<number>(),
  /** Those on which we and the contracts differ. */
  differences: [] as string[],
});
/** How many quotes had which property, so that a test can see that it met them all. */
type Met = ReturnType<typeof nothingMet>;

interface Case {
  readonly states: readonly PoolState[];
  readonly path: readonly string[];
  readonly amountIn: bigint;
}

/** Each state is asked so many times, in both directions. */
const QUOTES_A_STATE = 4;

async function compareQuotes(quotes: number, seed: number): Promise<Met> {
  const pools = await publishedPools();
  const met = nothingMet();
  try {
    for (let n = 0; met.quotes < quotes; n++) {
      const random = randomStream(seed, "quotes", n);
      for (const one of casesOf(random, pools)) await compare(pools, one, met, random);
    }
  } finally {
    await pools.close();
  }
  return met;
}

/** A pool or two, and trades through them in both directions. */
function casesOf(random: Random, pools: PublishedPools): Case[] {
  const [a, b, c] = pools.tokens;
  const isV2 = random() < 0.25;
  const tier = () => FEES[Math.floor(random() * FEES.length)] as number;
  const stateOf = (one: string, other: string): PoolState => {
    if (isV2) return randomPair(random, pools.pairOf(one, other), one, other);
    const fee = tier();
    return randomPool(random, pools.poolOf(one, other, fee), one, other, fee);
  };
  const path = random() < 0.3 ? [a, b, c] : [a, b];
  const states = path.slice(1).map((token, hop) => stateOf(path[hop] as string, token));
  return Array.from({ length: QUOTES_A_STATE }, (_, n) => {
    const isBack = n % 2 === 1;
    const first = states.at(isBack ? -1 : 0) as PoolState;
    const amountIn =
      first.kind === "uniswap-v2" ? bits(random, 112, 1) : randomAmount(random, first, !isBack);
    return {
      states: isBack ? states.toReversed() : states,
      path: isBack ? path.toReversed() : path,
      amountIn,
    };
  });
}

/** The pool as the chain has it: what no word names is not there. @param onLook told of each word that is looked at */
function whole(state: UniswapV3State, onLook: () => void): V3Pool {
  const pool = poolOf(state);
  const word = (index: number) => {
    onLook();
    return pool.word(index) ?? 0n;
  };
  return { ...pool, word };
}

/** The quoter takes half a millisecond a word, so few trades may look at more of them. */
const FEW_WORDS = 24;
const LONG_WALKS = 0.02;

/** Ours, hop by hop; null where a pool refuses; undefined for a walk that is too long. */
function ours({ states, path, amountIn }: Case, met: Met, random: Random): bigint | null | undefined {
  const most = random() < LONG_WALKS ? MAX_WORDS : FEW_WORDS;
  let looks = 0;
  let amount = amountIn;
  for (const [hop, state] of states.entries()) {
    const zeroForOne = path[hop] === state.token0;
    if (state.kind === "uniswap-v2") {
      // The router's arithmetic does not know that the pair has no room for it, and would revert.
      if (BigInt(zeroForOne ? state.reserve0 : state.reserve1) + amount >= 2n ** 112n) return undefined;
      const paid = tradePath([state], path[hop] as string, amount);
      if (paid.outcome !== "trades") return null;
      amount = paid.amountOut;
      continue;
    }
    const pool = whole(state, () => {
      looks += 1;
    });
    const trade = tradeV3(pool, zeroForOne, amount);
    if (looks > most) return undefined;
    if (trade.outcome === "beyond") throw new Error(`a whole pool has no ${trade.at}`);
    if (trade.outcome === "reverts") return null;
    met.crossings += trade.ticks.length > 0 ? 1 : 0;
    met.manyCrossings += trade.ticks.length >= 5 ? 1 : 0;
    met.tiers.add(state.fee);
    amount = trade.amountOut;
  }
  return amount;
}

async function compare(pools: PublishedPools, one: Case, met: Met, random: Random): Promise<void> {
  const { states, path, amountIn } = one;
  const quoted = ours(one, met, random);
  if (quoted === undefined) return;
  const first = states[0] as PoolState;
  met.quotes += 1;
  met[first.kind === "uniswap-v2" ? "v2" : "v3"] += 1;
  met.twoHops += states.length === 2 ? 1 : 0;
  met.zeroForOne += path[0] === first.token0 ? 1 : 0;
  met.refused += quoted === null ? 1 : 0;
  // A quoter's zero means no quote, as our null does.
  const theirs = (await pools.quote(states, path, amountIn)) || null;
  if (theirs !== quoted) met.differences.push(difference(one, `${quoted} and the quoter ${theirs}`));
  if (first.kind === "uniswap-v2" || states.length > 1 || quoted === null || random() > 0.2) return;
  const router = random() < 0.5 ? "router" : "router02";
  const paid = await pools.trade(router, first, path, amountIn);
  met.routers += 1;
  if (paid !== quoted) met.differences.push(difference(one, `${quoted} and ${router} ${paid}`));
}

function difference({ states, path, amountIn }: Case, said: string): string {
  return `we say ${said}, for ${amountIn} along ${path.join(" ")} through ${JSON.stringify(states)}`;
}

const QUOTES = 1_500;

describe("a quote from the state of its pools", () => {
  it("a quote from the state of its pools is that of the published quoters and routers, to the raw unit", async () => {
    const met = await compareQuotes(QUOTES, 1);
    expect(met.differences.slice(0, 3)).to.deep.equal([]);
    expect([...met.tiers].sort((a, b) => a - b)).to.deep.equal(FEES);
    for (const [name, least] of Object.entries({
      v2: 200,
      v3: 600,
      twoHops: 200,
      zeroForOne: 500,
      crossings: 300,
      manyCrossings: 50,
      refused: 10,
      routers: 50,
    }))
      expect(met[name as "v2"], name).to.be.at.least(least);
    expect(met.zeroForOne).to.be.at.most(met.quotes - 500);
  });
});
