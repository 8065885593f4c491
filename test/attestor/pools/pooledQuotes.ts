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

/** The quote of a pool, with the words and ticks that it needs and no others. */
export function pooledQuote(
  kind: "uniswap-v2" | "uniswap-v3",
  side: Side,
  amountIn = AMOUNT[side],
): QuoteFacts {
  const path = side === "buy" ? [DOLLAR, STOCK] : [STOCK, DOLLAR];
  const input = path[0] as string;
  let pool: PoolState = V2_POOL;
  if (kind === "uniswap-v3") {
    const whole = v3Pool();
    const trade = tradeV3(poolOf(whole), input === TOKEN0, amountIn);
    if (trade.outcome !== "trades") throw new Error(JSON.stringify(trade));
    pool = {
      ...whole,
      words: whole.words.filter(({ word }) => trade.words.includes(word)),
      ticks: whole.ticks.filter(({ tick }) => trade.ticks.includes(tick)),
    };
  }
  const paid = (amount: bigint) => {
    const trade = tradePath([pool], input, amount);
    return trade.outcome === "trades" ? trade.amountOut : 0n;
  };
  const tiny = tinyAmount(side, 6, amountIn, paid(amountIn));
  const route = kind === "uniswap-v2" ? V2 : V3;
  return {
    routeName: route.name,
    route: route.address,
    selector: route.selector,
    path,
    fees: kind === "uniswap-v2" ? [] : [3_000],
    amountInRaw: amountIn.toString(),
    amountOutRaw: paid(amountIn).toString(),
    referenceAmountInRaw: tiny.toString(),
    referenceAmountOutRaw: paid(tiny).toString(),
    pools: [pool],
  };
}
