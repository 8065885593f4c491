/** Chooses the route: of those that the guard allows, the one that pays most for the amount. */
import type { Provider } from "ethers";
import type { QuoteFacts } from "../../attestor/evidence.ts";
import type { Route } from "../../attestor/registry.ts";
import type { RouteAdapter, RouteCall, RouteQuote } from "./adapter.ts";
import { uniswapV2 } from "./uniswapV2.ts";
import { uniswapV3, uniswapV3Router02 } from "./uniswapV3.ts";

const ADAPTERS: { [K in Route["kind"]]: RouteAdapter<Extract<Route, { kind: K }>> } = {
  "uniswap-v2": uniswapV2,
  "uniswap-v3": uniswapV3,
  "uniswap-v3-router02": uniswapV3Router02,
};

function adapterOf(route: Route): RouteAdapter {
  // The table is keyed by the route's own kind; the compiler cannot follow that.
  return ADAPTERS[route.kind] as RouteAdapter;
}

/** What a tiny trade is worth, in whole settlement tokens: far below any depth, far above rounding. */
const TINY_SETTLEMENT = 10n;

export interface PairRequest {
  readonly provider: Provider;
  readonly blockNumber: number;
  readonly input: string;
  readonly output: string;
  readonly amountIn: bigint;
  /** `buy`: the input is the settlement token. */
  readonly side: "buy" | "sell";
  readonly settlementDecimals: number;
}

export interface ChosenQuote {
  readonly quote: QuoteFacts;
  readonly allowed: boolean;
}

/**
 * The best quote, and the tiny one through the same pools at the same block.
 * @param routes every route of the registry with whether the guard allows it; one that is not allowed
 *   is chosen only when no allowed one trades, so that the report can say what is wrong
 * @returns null when no route trades the pair at this size
 */
export async function bestQuote(
  routes: readonly { route: Route; allowed: boolean }[],
  request: PairRequest,
): Promise<ChosenQuote | null> {
  const quoted = await Promise.all(
    routes.map(async ({ route, allowed }) =>
      (await adapterOf(route).quotes(route, request)).map((quote) => ({ quote, allowed })),
    ),
  );
  const candidates = quoted.flat();
  const allowed = candidates.filter((candidate) => candidate.allowed);
  const best = largest(allowed.length > 0 ? allowed : candidates);
  if (best === null) return null;

  const tinyIn = tinyAmount(request, best.quote.amountOut);
  const tinyOut = await adapterOf(best.quote.route).requote(best.quote, { ...request, amountIn: tinyIn });
  if (tinyOut === null) return null;
  return {
    allowed: best.allowed,
    quote: {
      routeName: best.quote.route.name,
      route: best.quote.route.address,
      selector: best.quote.route.selector,
      path: [...best.quote.path],
      fees: [...best.quote.fees],
      amountInRaw: request.amountIn.toString(),
      amountOutRaw: best.quote.amountOut.toString(),
      referenceAmountInRaw: tinyIn.toString(),
      referenceAmountOutRaw: tinyOut.toString(),
    },
  };
}

function largest<T extends { quote: RouteQuote }>(candidates: readonly T[]): T | null {
  return candidates.reduce<T | null>(
    (best, next) => (best === null || next.quote.amountOut > best.quote.amountOut ? next : best),
    null,
  );
}

/** An input worth about ten settlement tokens, or the whole amount where that is less. */
function tinyAmount({ side, amountIn, settlementDecimals }: PairRequest, amountOut: bigint): bigint {
  const ten = TINY_SETTLEMENT * 10n ** BigInt(settlementDecimals);
  const tiny = side === "buy" ? ten : (amountIn * ten) / amountOut;
  return tiny === 0n ? 1n : tiny < amountIn ? tiny : amountIn;
}

/** The whole call data of the quoted route. */
export function encodeRouteCall(routes: readonly Route[], quote: QuoteFacts, call: RouteCall): string {
  const route = routes.find(
    ({ address, selector }) => address === quote.route && selector === quote.selector,
  );
  if (route === undefined) throw new Error(`the registry has no route ${quote.route} ${quote.selector}`);
  return adapterOf(route).encode(call);
}
