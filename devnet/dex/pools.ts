/** Opens a pool of stock and dollar with the depth that its plan asks for. */
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

export interface PoolOrder {
  readonly stock: string;
  readonly dollar: string;
  /** Dollars per whole token, which the V3 range lies around, too. */
  readonly price: number;
  readonly plan: PoolPlan;
}

/** The sender must own the tokens and have approved router and position manager. */
export async function openPool(sender: Sender, dex: Dex, order: PoolOrder): Promise<void> {
  const { stock, dollar, price, plan } = order;
  const dollars = BigInt(Math.round(plan.depthUsd * 1e6));
  const stocks = BigInt(Math.round((plan.depthUsd / price) * 1e9)) * 10n ** 9n;
  if (plan.kind === "uniswap-v2") {
    const args = [stock, dollar, stocks, dollars, 0n, 0n, sender.address, MaxUint256];
    await sender.send(call(dex.v2.router, V2_ROUTER.abi, "addLiquidity", args));
  } else await openV3(sender, dex, order, stocks, dollars);
}

async function openV3(
  sender: Sender,
  dex: Dex,
  order: PoolOrder,
  stocks: bigint,
  dollars: bigint,
): Promise<void> {
  const { stock, dollar, plan, price } = order;
  const stockFirst = BigInt(stock) < BigInt(dollar);
  const [token0, token1] = stockFirst ? [stock, dollar] : [dollar, stock];
  const [amount0, amount1] = stockFirst ? [stocks, dollars] : [dollars, stocks];
  const spacing = tickSpacingOf(plan.fee)!;
  // Raw units of token1 per raw unit of token0, at the middle of the range.
  const centre = stockFirst ? price * 1e-12 : 1e12 / price;
  const lower = tickAt(centre * RANGE_FACTOR, spacing);
  const upper = tickAt(centre / RANGE_FACTOR, spacing);
  const ratio = Number(amount1) / Number(amount0);
  // What is left of a full-range position's amounts when its liquidity is cut to the range.
  const within0 = 1 - Math.sqrt(ratio / 1.0001 ** upper);
  const within1 = 1 - Math.sqrt(1.0001 ** lower / ratio);
  const part = (amount: bigint, share: number) => (amount * BigInt(Math.round(share * 1e9))) / 10n ** 9n;
  const abi = V3_POSITIONS.abi;
  const position = {
    ...{ token0, token1, fee: plan.fee, tickLower: lower, tickUpper: upper },
    amount0Desired: part(amount0, within0),
    amount1Desired: part(amount1, within1),
    ...{ amount0Min: 0n, amount1Min: 0n, recipient: sender.address, deadline: MaxUint256 },
  };
  const pool = [token0, token1, plan.fee, sqrtPriceX96(amount1, amount0)];
  const calls = [
    abi.encodeFunctionData("createAndInitializePoolIfNecessary", pool),
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
