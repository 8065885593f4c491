/**
 * Uniswap V3 and its forks: one pool through `exactInputSingle`, whichever fee tier pays most. Two generations of routers
 * have a function of that name: the first takes a deadline, the second (SwapRouter02, PancakeSwap's SmartRouter) does
 * not, and leaves it to the guard.
 */
import { Interface } from "ethers";
import { poolAddress, tickSpacingOf } from "../../attestor/pools/create2.ts";
import { tradeV3 } from "../../attestor/pools/v3.ts";
import type { Route } from "../../attestor/registry.ts";
import { orNull, upstream } from "../rpc.ts";
import type { QuoteRequest, RouteAdapter, RouteQuote } from "./adapter.ts";
import { readV3Pool, stateFor } from "./poolReading.ts";

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

async function amountOut(route: V3Route, fee: number, request: QuoteRequest): Promise<bigint | null> {
  const { reads, input, output, amountIn } = request;
  if (amountIn > MAX_AMOUNT_IN) return null;
  const data = quoter.encodeFunctionData("quoteExactInputSingle", [[input, output, amountIn, fee, 0n]]);
  const answer: bigint | null = await upstream("V3 quote", () =>
    orNull(async () => {
      const raw = await reads.callOnce({ to: route.quoter, data });
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
  for (const reach of ["near", "far"] as const) {
    const pool = await atBlock(`v3 ${address} ${reach}`, () =>
      readV3Pool(reads, address, [input, output], fee, reach),
    );
    if (pool === null) return [];
    const trade = tradeV3(pool, input === pool.token0, amountIn);
    if (trade.outcome === "reverts") return [];
    if (trade.outcome === "beyond") continue;
    const { amountOut } = trade;
    return [{ route, path: [input, output], fees: [fee], amountOut, pools: [stateFor(pool, trade)] }];
  }
  return "beyond";
}

const quoting: Omit<RouteAdapter<V3Route>, "encode"> = {
  async quotes(route, request) {
    const tiers = await Promise.all(
      route.feeTiers.map(async (fee): Promise<RouteQuote[]> => {
        const computed = await fromState(route, fee, request);
        if (computed !== "beyond") return computed;
        const out = await amountOut(route, fee, request);
        const path = [request.input, request.output];
        return out === null ? [] : [{ route, path, fees: [fee], amountOut: out, pools: null }];
      }),
    );
    return tiers.flat();
  },

  requote: ({ route, fees }, request) => amountOut(route as V3Route, fees[0] as number, request),
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
