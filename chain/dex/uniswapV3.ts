/**
 * Uniswap V3 and its forks: one pool through `exactInputSingle`, whichever fee tier pays most. Two generations of routers
 * have a function of that name: the first takes a deadline, the second (SwapRouter02, PancakeSwap's SmartRouter) does
 * not, and leaves it to the guard.
 */
import { Interface } from "ethers";
import { poolAddress, tickSpacingOf } from "../../attestor/pools/create2.ts";
import type { Route } from "../../attestor/registry.ts";
import type { Caller } from "../blockReads.ts";
import { orNull, upstream } from "../rpc.ts";
import type { QuoteRequest, RouteAdapter, RouteQuote, RouteWay } from "./adapter.ts";
import { type Reach, readV3Pool, tradeOf } from "./poolReading.ts";

const quoter = new Interface([
  "function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)",
]);
const router = new Interface([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)",
]);

const router02 = new Interface([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)",
]);

type V3Route = Extract<Route, { kind: "uniswap-v3" | "uniswap-v3-router02" }>;

// The quoter counts in int256: a larger amount would wrap instead of revert.
const MAX_AMOUNT_IN = 2n ** 255n - 1n;

async function quoterSays(
  { route, path: [input, output], fees: [fee] }: RouteWay<V3Route>,
  amountIn: bigint,
  call: Caller["call"],
): Promise<bigint | null> {
  if (amountIn > MAX_AMOUNT_IN) return null;
  const data = quoter.encodeFunctionData("quoteExactInputSingle", [[input, output, amountIn, fee, 0n]]);
  const answer: bigint | null = await upstream("V3 quote", () =>
    orNull(async () => {
      const raw = await call({ to: route.quoter, data });
      return quoter.decodeFunctionResult("quoteExactInputSingle", raw)[0];
    }),
  );
  return answer === null || answer === 0n ? null : answer;
}

/** From the pool's state as far as that was read; `beyond` where the trade goes further, or the state is not known. */
async function fromState(
  route: V3Route,
  fee: number,
  { input, output, reads, atBlock, amountIn }: QuoteRequest,
): Promise<RouteQuote[] | "beyond"> {
  const address = poolAddress(route, input, output, fee);
  if (address === null || tickSpacingOf(fee) === undefined) return "beyond";
  const read = (reach: Reach) =>
    atBlock(`v3 ${address} ${reach}`, () => readV3Pool(reads, address, [input, output], fee, reach));
  const trade = await tradeOf(read, input, amountIn);
  if (trade === "beyond") return "beyond";
  if (trade === null) return [];
  return [{ route, path: [input, output], fees: [fee], amountOut: trade.amountOut, pools: [trade.pool] }];
}

const quoting: Omit<RouteAdapter<V3Route>, "encode"> = {
  async quotes(route, request) {
    const tiers = await Promise.all(
      route.feeTiers.map(async (fee): Promise<RouteQuote[]> => {
        const computed = await fromState(route, fee, request);
        if (computed !== "beyond") return computed;
        const way = { route, path: [request.input, request.output], fees: [fee] };
        const out = await quoterSays(way, request.amountIn, request.reads.callOnce);
        return out === null ? [] : [{ ...way, amountOut: out, pools: null }];
      }),
    );
    return tiers.flat();
  },

  quoterSays,
};

export const uniswapV3: RouteAdapter<V3Route> = {
  ...quoting,
  encode: ({ amountIn, minAmountOut, path, fees, recipient, deadline }) =>
    router.encodeFunctionData("exactInputSingle", [
      [path[0], path[1], fees[0], recipient, deadline, amountIn, minAmountOut, 0n],
    ]),
};

export const uniswapV3Router02: RouteAdapter<V3Route> = {
  ...quoting,
  encode: ({ amountIn, minAmountOut, path, fees, recipient }) =>
    router02.encodeFunctionData("exactInputSingle", [
      [path[0], path[1], fees[0], recipient, amountIn, minAmountOut, 0n],
    ]),
};
