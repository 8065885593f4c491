/** Quotes that follow from the state of a pool, of V2 and of V3, and a registry whose routes go through it. */
import { id } from "ethers";
import type { QuoteFacts } from "../../../attestor/evidence/facts.ts";
import { poolAddress } from "../../../attestor/pools/create2.ts";
import type { PoolState, UniswapV2State, UniswapV3State } from "../../../attestor/pools/poolState.ts";
import { poolOf, tinyAmount, tradePath } from "../../../attestor/pools/quote.ts";
import { sqrtRatioAtTick } from "../../../attestor/pools/tickMath.ts";
import { tradeV3 } from "../../../attestor/pools/v3.ts";
import { parseRegistry, type Route } from "../../../attestor/registry.ts";
import { addressFor, DOLLAR, REGISTRY, type Side, STOCK } from "../fixtures.ts";

const layout = (name: string) => ({
  deployer: addressFor(`deployer ${name}`),
  initCodeHash: id(`code ${name}`),
});
export const ROUTED = parseRegistry({
  ...REGISTRY,
  version: "with-pools",
  routes: REGISTRY.routes.map((route) => ({
    ...route,
    pools: {
      ...layout(route.name),
      layout: route.kind,
      ...(route.kind === "uniswap-v2" ? { feeBps: 30 } : {}),
    },
  })),
});
export const [V2, V3] = ROUTED.routes as [Route, Route];
const [TOKEN0, TOKEN1] = BigInt(DOLLAR) < BigInt(STOCK) ? [DOLLAR, STOCK] : [STOCK, DOLLAR];
/** A token costs 250 dollars. */
const RESERVES = { [DOLLAR]: 500_000n * 10n ** 6n, [STOCK]: 2_000n * 10n ** 18n };
export const AMOUNT = { buy: 1_000_000_000n, sell: 4n * 10n ** 18n };

export const V2_POOL: UniswapV2State = {
  kind: "uniswap-v2",
  address: poolAddress(V2, STOCK, DOLLAR, null) as string,
  token0: TOKEN0,
  token1: TOKEN1,
  feeBps: 30,
  reserve0: String(RESERVES[TOKEN0]),
  reserve1: String(RESERVES[TOKEN1]),
};

/** The price of `RESERVES`, in a whole pool whose liquidity changes at every third place for a tick. */
function v3Pool(): UniswapV3State {
  const ratio = Math.log(Number(RESERVES[TOKEN1]) / Number(RESERVES[TOKEN0])) / Math.log(1.0001);
  const tick = Math.floor(ratio);
  const spacing = 60;
  const centre = Math.floor(tick / spacing);
  const places = Array.from({ length: 21 }, (_, n) => centre - 31 + 3 * n);
  const words = new Map<number, bigint>();
  for (let word = (centre >> 8) - 1; word <= (centre >> 8) + 1; word++) words.set(word, 0n);
  for (const place of places) words.set(place >> 8, words.get(place >> 8)! | (1n << BigInt(place & 255)));
  const step = 3n * 10n ** 16n;
  return {
    kind: "uniswap-v3",
    address: poolAddress(V3, STOCK, DOLLAR, 3_000) as string,
    token0: TOKEN0,
    token1: TOKEN1,
    fee: 3_000,
    tickSpacing: spacing,
    sqrtPriceX96: sqrtRatioAtTick(tick).toString(),
    tick,
    liquidity: String(step * 11n),
    words: [...words].map(([word, bitmap]) => ({
      word,
      bitmap: `0x${bitmap.toString(16).padStart(64, "0")}`,
    })),
    ticks: places.map((place, n) => ({ tick: place * spacing, liquidityNet: String(n < 11 ? step : -step) })),
  };
}

/** The quote of one pool: of 250 dollars a token, with a route of `ROUTED`. */
export function pooledQuote(
  kind: "uniswap-v2" | "uniswap-v3",
  side: Side,
  amountIn = AMOUNT[side],
): QuoteFacts {
  const path = side === "buy" ? [DOLLAR, STOCK] : [STOCK, DOLLAR];
  const pool = kind === "uniswap-v2" ? V2_POOL : v3Pool();
  return quoteThrough([pool], path, side, amountIn)!;
}

/** The quote of a path through pools, with the words and ticks that it needs and no others; null where a pool refuses. */
export function quoteThrough(
  states: readonly PoolState[],
  path: readonly string[],
  side: Side,
  amountIn: bigint,
): QuoteFacts | null {
  const pools: PoolState[] = [];
  let amountOut = amountIn;
  for (const [hop, state] of states.entries()) {
    const needed = neededOf(state, path[hop]!, amountOut);
    const trade = needed && tradePath([needed], path[hop]!, amountOut);
    if (needed === null || trade?.outcome !== "trades") return null;
    pools.push(needed);
    amountOut = trade.amountOut;
  }
  const tinyIn = tinyAmount(side, 6, amountIn, amountOut);
  const tiny = tradePath(pools, path[0]!, tinyIn);
  if (tiny.outcome !== "trades") return null;
  const route = states[0]!.kind === "uniswap-v2" ? V2 : V3;
  return {
    routeName: route.name,
    route: route.address,
    selector: route === V3 && pools.length > 1 ? "0xc04b8d59" : route.selector,
    path: [...path],
    fees: pools.flatMap((pool) => (pool.kind === "uniswap-v3" ? [pool.fee] : [])),
    amountInRaw: amountIn.toString(),
    amountOutRaw: amountOut.toString(),
    referenceAmountInRaw: tinyIn.toString(),
    referenceAmountOutRaw: tiny.amountOut.toString(),
    pools,
  };
}

const NO_TICKS = `0x${"0".repeat(64)}`;

function neededOf(state: PoolState, tokenIn: string, amountIn: bigint): PoolState | null {
  if (state.kind === "uniswap-v2") return state;
  const pool = poolOf(state);
  // A chain has zero for every word that nobody wrote.
  const onChain = { ...pool, word: (index: number) => pool.word(index) ?? 0n };
  const trade = tradeV3(onChain, tokenIn === state.token0, amountIn);
  if (trade.outcome !== "trades") return null;
  const bitmapOf = (word: number) => state.words.find((each) => each.word === word)?.bitmap ?? NO_TICKS;
  const words = trade.words.toSorted((one, other) => one - other);
  return {
    ...state,
    words: words.map((word) => ({ word, bitmap: bitmapOf(word) })),
    ticks: state.ticks.filter(({ tick }) => trade.ticks.includes(tick)),
  };
}
