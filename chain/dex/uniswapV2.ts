/** Uniswap V2 and its forks: the direct pair through `swapExactTokensForTokens`. */
import { Interface } from "ethers";
import { poolAddress } from "../../attestor/pools/create2.ts";
import { tradeV2 } from "../../attestor/pools/quote.ts";
import type { Route } from "../../attestor/registry.ts";
import type { Caller } from "../blockReads.ts";
import { orNull, upstream } from "../rpc.ts";
import type { RouteAdapter, RouteWay } from "./adapter.ts";
import { readV2Pool } from "./poolReading.ts";

const router = new Interface([
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
]);

type V2Route = Extract<Route, { kind: "uniswap-v2" }>;

async function quoterSays(
  { route, path }: RouteWay<V2Route>,
  amountIn: bigint,
  call: Caller["call"],
): Promise<bigint | null> {
  const data = router.encodeFunctionData("getAmountsOut", [amountIn, path]);
  const amounts: bigint[] | null = await upstream("V2 quote", () =>
    orNull(
      async () => router.decodeFunctionResult("getAmountsOut", await call({ to: route.address, data }))[0],
    ),
  );
  const out = amounts?.at(-1) ?? 0n;
  return out === 0n ? null : out;
}

export const uniswapV2: RouteAdapter<V2Route> = {
  async quotes(route, { input, output, reads, atBlock, amountIn }) {
    const way = { route, path: [input, output], fees: [] };
    const address = poolAddress(route, input, output, null);
    if (address === null || route.pools === undefined) {
      const out = await quoterSays(way, amountIn, reads.callOnce);
      return out === null ? [] : [{ ...way, amountOut: out, pools: null }];
    }
    const { feeBps } = route.pools;
    const pool = await atBlock(`v2 ${address} ${feeBps}`, () =>
      readV2Pool(reads, address, [input, output], feeBps),
    );
    if (pool === null) return [];
    const trade = tradeV2(pool, input === pool.token0, amountIn);
    return trade.outcome === "trades" ? [{ ...way, amountOut: trade.amountOut, pools: [pool] }] : [];
  },

  quoterSays,

  encode: ({ amountIn, minAmountOut, path, recipient, deadline }) =>
    router.encodeFunctionData("swapExactTokensForTokens", [
      amountIn,
      minAmountOut,
      path,
      recipient,
      deadline,
    ]),
};
