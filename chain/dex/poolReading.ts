/** The state of pools at a block, read from their own storage's views; and the part of it that a quote's evidence holds. */
import { AbiCoder, concat, getAddress } from "ethers";
import { sortedTokens, tickSpacingOf } from "../../attestor/pools/create2.ts";
import { MIN_TICK, type UniswapV2State, type UniswapV3State } from "../../attestor/pools/poolState.ts";
import { tradeV3, type V3Pool, type V3Trade } from "../../attestor/pools/v3.ts";
import LENS from "../../contracts/compiled/V3PoolLens.json" with { type: "json" };
import type { Caller } from "../blockReads.ts";
import { orNull, upstream } from "../rpc.ts";

const coder = AbiCoder.defaultAbiCoder();

/** `getReserves()` of a V2 pair. */
const GET_RESERVES = "0x0902f1ac";

/**
 * @param feeBps what the route's router takes of the input
 * @returns null where there is no pair
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function readV2Pool(
  caller: Caller,
  address: string,
  [a, b]: readonly [string, string],
  feeBps: number,
): Promise<UniswapV2State | null> {
  const raw = await upstream("V2 pool", () => orNull(() => caller.call({ to: address, data: GET_RESERVES })));
  if (raw === null || raw === "0x") return null;
  const [reserve0, reserve1] = coder.decode(["uint112", "uint112", "uint32"], raw);
  const [token0, token1] = sortedTokens(a, b);
  return {
    kind: "uniswap-v2",
    address,
    token0,
    token1,
    feeBps,
    reserve0: reserve0.toString(),
    reserve1: reserve1.toString(),
  };
}

/** A V3 pool as far as it was read. */
export interface ReadV3Pool extends V3Pool {
  readonly address: string;
  readonly token0: string;
  readonly token1: string;
}

/** How far a V3 pool is read to each side of its price. */
export type Reach = "near" | "far";

/** Ticks to a side, after which no further word is read. With the rest of a word they stay within an evidence's bound. */
const ENOUGH_TICKS = 200;
/** Near: what a price moves in a bad hour; far: as much as evidence has room for. */
const NEAR_TICKS = 5_000;
const FAR_WORDS = 120;

const STATE =
  "tuple(address token0,address token1,uint24 fee,int24 tickSpacing,uint160 sqrtPriceX96,int24 tick,uint128 liquidity,int256 firstWord,uint256[] words,int24[] ticks,int128[] nets)";

/**
 * @param fee hundredths of a bip, of a tier whose tick spacing is known
 * @returns null where there is no pool, or one that never had a price, or another than the expected one
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function readV3Pool(
  caller: Caller,
  address: string,
  [a, b]: readonly [string, string],
  fee: number,
  reach: Reach,
): Promise<ReadV3Pool | null> {
  const spacing = tickSpacingOf(fee) as number;
  const words = reach === "far" ? FAR_WORDS : Math.ceil(NEAR_TICKS / (256 * spacing));
  const args = coder.encode(["address", "int256", "uint256"], [address, words, ENOUGH_TICKS]);
  const data = concat([LENS.bytecode, args]);
  const raw = await upstream("V3 pool", () => orNull(() => caller.call({ data })));
  if (raw === null || raw === "0x") return null;
  const [state] = coder.decode([STATE], raw);
  const [token0, token1] = sortedTokens(a, b);
  const isOther =
    getAddress(state.token0) !== token0 ||
    getAddress(state.token1) !== token1 ||
    Number(state.fee) !== fee ||
    Number(state.tickSpacing) !== spacing;
  // Below the lowest tick there is nothing to trade with: a sale of all that there is has emptied the pool.
  if (isOther || state.sqrtPriceX96 === 0n || Number(state.tick) < MIN_TICK) return null;
  const bitmap: bigint[] = [...state.words];
  const first = Number(state.firstWord);
  const nets = new Map<number, bigint>();
  for (const [index, tick] of state.ticks.entries()) nets.set(Number(tick), state.nets[index]);
  return {
    address,
    token0,
    token1,
    fee,
    tickSpacing: spacing,
    sqrtPriceX96: state.sqrtPriceX96,
    tick: Number(state.tick),
    liquidity: state.liquidity,
    word: (index) => bitmap[index - first],
    liquidityNet: (tick) => nets.get(tick),
  };
}

/**
 * A trade through a V3 pool that is read as far as the trade goes, and the pool's state as evidence holds it.
 * @param input the token that goes in, EIP-55
 * @returns `beyond` where the trade goes further than pools are read, null where there is no pool or no trade
 */
export async function tradeOf(
  read: (reach: Reach) => Promise<ReadV3Pool | null>,
  input: string,
  amountIn: bigint,
): Promise<{ readonly amountOut: bigint; readonly pool: UniswapV3State } | "beyond" | null> {
  for (const reach of ["near", "far"] as const) {
    const pool = await read(reach);
    if (pool === null) return null;
    const trade = tradeV3(pool, input === pool.token0, amountIn);
    if (trade.outcome === "reverts") return null;
    if (trade.outcome === "trades") return { amountOut: trade.amountOut, pool: stateFor(pool, trade) };
  }
  return "beyond";
}

/** What the evidence holds of a pool for a trade: what the trade looked at, and nothing else. */
function stateFor(pool: ReadV3Pool, trade: Extract<V3Trade, { outcome: "trades" }>): UniswapV3State {
  const { address, token0, token1, fee, tickSpacing, tick } = pool;
  return {
    kind: "uniswap-v3",
    address,
    token0,
    token1,
    fee,
    tickSpacing,
    sqrtPriceX96: pool.sqrtPriceX96.toString(),
    tick,
    liquidity: pool.liquidity.toString(),
    words: trade.words.map((word) => ({
      word,
      bitmap: `0x${(pool.word(word) as bigint).toString(16).padStart(64, "0")}`,
    })),
    ticks: trade.ticks.map((at) => ({ tick: at, liquidityNet: String(pool.liquidityNet(at)) })),
  };
}
