/** Where a quote does not follow from the pools in the evidence, or the pools are none that its path can go through. */
import { poolAddress, sortedTokens, tickSpacingOf } from "../pools/create2.ts";
import type { PoolState, UniswapV3State } from "../pools/poolState.ts";
import { type HopTrade, tinyAmount, tradePath } from "../pools/quote.ts";
import { isTickOfPrice } from "../pools/tickMath.ts";
import { ROUTE_SELECTORS, type Route } from "../registry.ts";
import type { Evidence } from "./evidence.ts";
import type { QuoteFacts } from "./facts.ts";

type Trade = Pick<Evidence["trade"], "side" | "inputDecimals" | "outputDecimals">;

/** Sentences without their full stop; none where amounts, words and ticks all follow. */
export function quoteFaults(quote: QuoteFacts, trade: Trade): string[] {
  if (quote.pools === null) return [];
  const faults = pathFaults(quote, quote.pools);
  return faults.length > 0 ? faults : amountFaults(quote, quote.pools, trade);
}

function pathFaults({ path, fees, selector }: QuoteFacts, pools: readonly PoolState[]): string[] {
  if (pools.length !== path.length - 1) return [`${path.length - 1} hops have ${pools.length} pools`];
  const kind = selector === ROUTE_SELECTORS["uniswap-v2"] ? "uniswap-v2" : "uniswap-v3";
  return pools.flatMap((pool, hop) => {
    const [token0, token1] = sortedTokens(path[hop] as string, path[hop + 1] as string);
    if (pool.token0 !== token0 || pool.token1 !== token1)
      return [`pool ${hop + 1} is not of the hop's tokens`];
    if (pool.kind !== kind) return [`pool ${hop + 1} is none that the route's function trades with`];
    return pool.kind === "uniswap-v2" ? [] : v3Faults(pool, fees[hop], hop);
  });
}

function v3Faults(pool: UniswapV3State, fee: number | undefined, hop: number): string[] {
  const faults: string[] = [];
  const name = `pool ${hop + 1}`;
  if (pool.fee !== fee) faults.push(`${name} has another fee than the hop`);
  if (pool.tickSpacing !== tickSpacingOf(pool.fee))
    faults.push(`${name} has a tick spacing that its fee has not`);
  if (!isTickOfPrice(pool.tick, BigInt(pool.sqrtPriceX96)))
    faults.push(`${name} has a tick that is not its price's`);
  if (!isAscending(pool.words.map(({ word }) => word))) faults.push(`the words of ${name} do not ascend`);
  if (!isAscending(pool.ticks.map(({ tick }) => tick))) faults.push(`the ticks of ${name} do not ascend`);
  return faults;
}

const isAscending = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || (values[index - 1] as number) < value);

function amountFaults(quote: QuoteFacts, pools: readonly PoolState[], trade: Trade): string[] {
  const input = quote.path[0] as string;
  const amountIn = BigInt(quote.amountInRaw);
  const whole = tradePath(pools, input, amountIn);
  if (whole.outcome === "reverts") return ["the pools cannot trade the amount"];
  if (whole.outcome === "beyond") return [`the trade needs ${whole.at}, which the evidence does not have`];
  const faults = pools.flatMap((pool, hop) => walkFaults(pool, whole.hops[hop] as HopTrade, hop));
  if (whole.amountOut.toString() !== quote.amountOutRaw)
    faults.push(`the pools pay ${whole.amountOut}, and not ${quote.amountOutRaw}`);
  const decimals = trade.side === "buy" ? trade.inputDecimals : trade.outputDecimals;
  const tinyIn = tinyAmount(trade.side, decimals, amountIn, whole.amountOut);
  if (tinyIn.toString() !== quote.referenceAmountInRaw)
    faults.push(`the tiny trade is one of ${tinyIn}, and not of ${quote.referenceAmountInRaw}`);
  const tiny = tradePath(pools, input, tinyIn);
  const tinyOut = tiny.outcome === "trades" ? tiny.amountOut.toString() : "nothing";
  if (tinyOut !== quote.referenceAmountOutRaw)
    faults.push(`for the tiny trade the pools pay ${tinyOut}, and not ${quote.referenceAmountOutRaw}`);
  return faults;
}

/** Words and ticks beyond those that the trade looked at; one that is missing has ended the trade already. */
function walkFaults(pool: PoolState, trade: HopTrade, hop: number): string[] {
  if (pool.kind === "uniswap-v2" || trade.outcome !== "trades") return [];
  const words = pool.words.map(({ word }) => word).filter((word) => !trade.words.includes(word));
  const ticks = pool.ticks.map(({ tick }) => tick).filter((tick) => !trade.ticks.includes(tick));
  return [
    ...words.map((word) => `the trade does not look at word ${word} of pool ${hop + 1}`),
    ...ticks.map((tick) => `the trade does not cross tick ${tick} of pool ${hop + 1}`),
  ];
}

/** Whether these pools are those that a registry's route goes through: the address follows from the tokens. */
export function arePoolsOfRoute(
  { path, fees, pools }: Pick<QuoteFacts, "path" | "fees" | "pools">,
  route: Route,
): boolean {
  if (pools === null) return true;
  return pools.every((pool, hop) => {
    const isV3 = pool.kind === "uniswap-v3";
    const { pools: layout } = route;
    if (layout === undefined || layout.layout !== pool.kind) return false;
    if (layout.layout === "uniswap-v2" && !isV3 && layout.feeBps !== pool.feeBps) return false;
    const [input, output] = [path[hop], path[hop + 1]];
    if (input === undefined || output === undefined) return false;
    return pool.address === poolAddress(route, input, output, isV3 ? (fees[hop] ?? null) : null);
  });
}
