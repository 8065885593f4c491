/**
 * Uniswap V3 and its forks: one pool through `exactInputSingle`, whichever fee tier pays most. Two generations of routers
 * have a function of that name: the first takes a deadline, the second (SwapRouter02, PancakeSwap's SmartRouter) does
 * not, and leaves it to the guard.
 */
import { Contract, Interface } from "ethers";
import type { Route } from "../../attestor/registry.ts";
import { orNull, upstream } from "../rpc.ts";
import type { QuoteRequest, RouteAdapter, RouteQuote } from "./adapter.ts";

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
  const { provider, input, output, amountIn, blockNumber } = request;
  if (amountIn > MAX_AMOUNT_IN) return null;
  const contract = new Contract(route.quoter, quoter, provider);
  const answer: [bigint] | null = await upstream("V3 quote", () =>
    orNull(() =>
      contract
        .getFunction("quoteExactInputSingle")
        .staticCall([input, output, amountIn, fee, 0n], { blockTag: blockNumber }),
    ),
  );
  const out = answer?.[0] ?? 0n;
  return out === 0n ? null : out;
}

const quoting: Omit<RouteAdapter<V3Route>, "encode"> = {
  async quotes(route, request) {
    const tiers = await Promise.all(
      route.feeTiers.map(async (fee): Promise<RouteQuote[]> => {
        const out = await amountOut(route, fee, request);
        return out === null
          ? []
          : [{ route, path: [request.input, request.output], fees: [fee], amountOut: out }];
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
