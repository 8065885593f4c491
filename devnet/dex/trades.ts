/** Reads what a pool charges and builds the trader's calls. */
import { MaxUint256 } from "ethers";
import { V2_PAIR, V2_ROUTER, V3_POOL, V3_ROUTER } from "../artifacts.ts";
import type { LocalNode } from "../chain/node.ts";
import { type Call, call, view } from "../sender.ts";
import type { Dex } from "./deploy.ts";
import { type Pool, Q96 } from "./pools.ts";

/** Raw units: a stock has 18 decimals, a dollar 6. */
const DECIMALS_RATIO = 1e12;
/** More than any pool swallows before it reaches the price limit. */
const UNTIL_LIMIT = 10n ** 30n;

export type PoolState =
  | { readonly kind: "uniswap-v2"; readonly price: number; readonly stocks: number; readonly dollars: number }
  | { readonly kind: "uniswap-v3"; readonly price: number };

const stockFirst = ({ stock, dollar }: Pool) => BigInt(stock) < BigInt(dollar);

/** The pool's price in dollars per whole token, between buying and selling; for V2 also what it holds, raw. */
export async function readPool(node: Pick<LocalNode, "request">, pool: Pool): Promise<PoolState> {
  if (pool.kind === "uniswap-v2") {
    const [reserve0, reserve1] = await view(node, pool.address, V2_PAIR.abi, "getReserves");
    const [stocks, dollars] = stockFirst(pool)
      ? [Number(reserve0), Number(reserve1)]
      : [Number(reserve1), Number(reserve0)];
    return { kind: "uniswap-v2", price: (dollars / stocks) * DECIMALS_RATIO, stocks, dollars };
  }
  const [sqrtPrice] = await view(node, pool.address, V3_POOL.abi, "slot0");
  const ratio = (Number(sqrtPrice) / Number(Q96)) ** 2;
  return { kind: "uniswap-v3", price: (stockFirst(pool) ? ratio : 1 / ratio) * DECIMALS_RATIO };
}

/** The trade that brings a pool to a price (dollars per whole token). */
export function tradeTo(dex: Dex, pool: Pool, state: PoolState, price: number, trader: string): Call {
  const buys = price > state.price;
  if (state.kind === "uniswap-v3") {
    const ratio = price / DECIMALS_RATIO;
    const limit = BigInt(Math.round(Math.sqrt(stockFirst(pool) ? ratio : 1 / ratio) * 2 ** 64)) << 32n;
    return swapV3(dex, pool, buys, UNTIL_LIMIT, limit, trader);
  }
  const product = state.stocks * state.dollars;
  const ratio = price / DECIMALS_RATIO;
  const amount = buys
    ? Math.sqrt(product * ratio) - state.dollars
    : Math.sqrt(product / ratio) - state.stocks;
  return swapV2(dex, pool, buys, BigInt(Math.ceil(amount)), trader);
}

export function tradeOf(
  dex: Dex,
  pool: Pool,
  state: PoolState,
  usd: number,
  buys: boolean,
  trader: string,
): Call {
  const amount = buys
    ? BigInt(Math.round(usd * 1e6))
    : BigInt(Math.round((usd / state.price) * 1e9)) * 10n ** 9n;
  return pool.kind === "uniswap-v2"
    ? swapV2(dex, pool, buys, amount, trader)
    : swapV3(dex, pool, buys, amount, 0n, trader);
}

function swapV2(dex: Dex, { stock, dollar }: Pool, buys: boolean, amountIn: bigint, trader: string): Call {
  const path = buys ? [dollar, stock] : [stock, dollar];
  const args = [amountIn, 0n, path, trader, MaxUint256];
  return call(dex.v2.router, V2_ROUTER.abi, "swapExactTokensForTokens", args);
}

function swapV3(
  dex: Dex,
  { stock, dollar, fee }: Pool,
  buys: boolean,
  amountIn: bigint,
  sqrtPriceLimitX96: bigint,
  recipient: string,
): Call {
  const [tokenIn, tokenOut] = buys ? [dollar, stock] : [stock, dollar];
  const limits = { deadline: MaxUint256, amountOutMinimum: 0n, sqrtPriceLimitX96 };
  const swap = { tokenIn, tokenOut, fee, recipient, amountIn, ...limits };
  return call(dex.v3.router, V3_ROUTER.abi, "exactInputSingle", [swap]);
}
