/** Opens pools of stock and dollar with the depth that their plans ask for. */
import { Decimal } from "decimal.js";
import { MaxUint256 } from "ethers";
import { tickSpacingOf } from "../../attestor/pools/create2.ts";
import { V2_ROUTER, V3_POSITIONS } from "../artifacts.ts";
import { call, type Sender } from "../sender.ts";
import { type PoolPlan, RANGE_FACTOR } from "../stocks.ts";
import type { Dex } from "./deploy.ts";

export interface Pool extends PoolPlan {
  readonly address: string;
  readonly stock: string;
  readonly dollar: string;
}

/**
 * The sender must own the tokens and have approved router and position manager.
 * @param price dollars per whole token, which the V3 range lies around, too
 */
export async function openPool(sender: Sender, dex: Dex, pool: Pool, price: number): Promise<void> {
  const { stock, dollar, depthUsd } = pool;
  const dollars = BigInt(Math.round(depthUsd * 1e6));
  const stocks = BigInt(Math.round((depthUsd / price) * 1e9)) * 10n ** 9n;
  if (pool.kind === "uniswap-v3") return openV3(sender, dex, pool, price, stocks, dollars);
  const args = [stock, dollar, stocks, dollars, 0n, 0n, sender.address, MaxUint256];
  await sender.send(call(dex.v2.router, V2_ROUTER.abi, "addLiquidity", args));
}

async function openV3(
  sender: Sender,
  dex: Dex,
  { stock, dollar, fee }: Pool,
  price: number,
  stocks: bigint,
  dollars: bigint,
): Promise<void> {
  const stockFirst = BigInt(stock) < BigInt(dollar);
  const [token0, token1] = stockFirst ? [stock, dollar] : [dollar, stock];
  const [amount0, amount1] = stockFirst ? [stocks, dollars] : [dollars, stocks];
  const spacing = tickSpacingOf(fee)!;
  // Raw units of token1 per raw unit of token0, at the middle of the range.
  const centre = stockFirst ? price * 1e-12 : 1e12 / price;
  const tickLower = tickAt(centre * RANGE_FACTOR, spacing);
  const tickUpper = tickAt(centre / RANGE_FACTOR, spacing);
  const ratio = Number(amount1) / Number(amount0);
  // What is left of a full-range position's amounts when its liquidity is cut to the range.
  const within0 = 1 - Math.sqrt(ratio / 1.0001 ** tickUpper);
  const within1 = 1 - Math.sqrt(1.0001 ** tickLower / ratio);
  const part = (amount: bigint, share: number) => (amount * BigInt(Math.round(share * 1e9))) / 10n ** 9n;
  const position = {
    token0,
    token1,
    fee,
    tickLower,
    tickUpper,
    amount0Desired: part(amount0, within0),
    amount1Desired: part(amount1, within1),
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: sender.address,
    deadline: MaxUint256,
  };
  const abi = V3_POSITIONS.abi;
  const creation = [token0, token1, fee, sqrtPriceX96(amount1, amount0)];
  const calls = [
    abi.encodeFunctionData("createAndInitializePoolIfNecessary", creation),
    abi.encodeFunctionData("mint", [position]),
  ];
  await sender.send(call(dex.v3.positions, abi, "multicall", [calls]));
}

export const Q96 = 2n ** 96n;

/** More digits than a square root of 320 bits has. */
const Exact = Decimal.clone({ precision: 100 });

/** The price of V3: the square root of amount1 / amount0, with 96 binary places. */
function sqrtPriceX96(amount1: bigint, amount0: bigint): bigint {
  const squared = new Exact(String((amount1 << 192n) / amount0));
  return BigInt(squared.sqrt().floor().toFixed());
}

/** The usable tick nearest to a price ratio, rounded to the pool's tick spacing. */
function tickAt(ratio: number, spacing: number): number {
  return Math.round(Math.log(ratio) / Math.log(1.0001) / spacing) * spacing;
}
