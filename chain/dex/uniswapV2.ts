/** Uniswap V2 and its forks: the direct pair through `swapExactTokensForTokens`. */
import { Contract, Interface } from "ethers";
import { orNull, upstream } from "../rpc.ts";
import type { QuoteRequest, RouteAdapter } from "./adapter.ts";

const router = new Interface([
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
]);

async function amountOut(address: string, request: QuoteRequest): Promise<bigint | null> {
  const { provider, input, output, amountIn, blockNumber } = request;
  const contract = new Contract(address, router, provider);
  const amounts: bigint[] | null = await upstream("V2 quote", () =>
    orNull(() =>
      contract.getFunction("getAmountsOut").staticCall(amountIn, [input, output], { blockTag: blockNumber }),
    ),
  );
  const out = amounts?.at(-1) ?? 0n;
  return out === 0n ? null : out;
}

export const uniswapV2: RouteAdapter = {
  async quotes(route, request) {
    const out = await amountOut(route.address, request);
    return out === null ? [] : [{ route, path: [request.input, request.output], fees: [], amountOut: out }];
  },

  requote: ({ route }, request) => amountOut(route.address, request),

  encode: ({ amountIn, minAmountOut, path, recipient, deadline }) =>
    router.encodeFunctionData("swapExactTokensForTokens", [
      amountIn,
      minAmountOut,
      path,
      recipient,
      deadline,
    ]),
};
