/** Chooses the route: of those that the guard allows, the one that pays most for the amount. */
import type { QuoteFacts } from "../../attestor/evidence/facts.ts";
import { tinyAmount, tradePath } from "../../attestor/pools/quote.ts";
import type { Route } from "../../attestor/registry.ts";
import type { BlockReads, Caller } from "../blockReads.ts";
import type { QuoteRequest, RouteAdapter, RouteCall, RouteQuote, RouteWay } from "./adapter.ts";
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

/** What a route's own quoter says of an amount; null where it does not trade. @throws UpstreamUnavailable */
export const quoterSays = (way: RouteWay, amountIn: bigint, call: Caller["call"]): Promise<bigint | null> =>
  adapterOf(way.route).quoterSays(way, amountIn, call);

export interface PairRequest extends QuoteRequest {
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
 * @param routes every route of the registry with whether the guard allows it. A route that is not allowed is chosen
 *   only when no allowed one trades, so that the report can name the reason
 * @returns null when no route trades the pair at this size
 */
export async function bestQuote(
  routes: readonly { route: Route; allowed: boolean }[],
  request: PairRequest,
): Promise<ChosenQuote | null> {
  const quotes = await quotesOf(
    routes.map(({ route }) => route),
    request,
  );
  return await chooseQuote(quotes, routes, request);
}

/** Every way through these routes that trades the pair at this size. */
export async function quotesOf(routes: readonly Route[], request: QuoteRequest): Promise<RouteQuote[]> {
  return (await Promise.all(routes.map((route) => adapterOf(route).quotes(route, request)))).flat();
}

/** Of quotes the best, as `bestQuote` chooses it. */
export async function chooseQuote(
  quotes: readonly RouteQuote[],
  routes: readonly { route: Route; allowed: boolean }[],
  request: PairRequest,
): Promise<ChosenQuote | null> {
  const candidates = quotes.map((quote) => ({
    quote,
    allowed: routes.some(({ route, allowed }) => allowed && route === quote.route),
  }));
  const allowed = candidates.filter((candidate) => candidate.allowed);
  const best = largest(allowed.length > 0 ? allowed : candidates);
  if (best === null) return null;

  const { side, settlementDecimals, amountIn } = request;
  const tinyIn = tinyAmount(side, settlementDecimals, amountIn, best.quote.amountOut);
  const tinyOut = await tinyQuote(best.quote, tinyIn, request.reads);
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
      pools: best.quote.pools && [...best.quote.pools],
    },
  };
}

/** Through the same pools, and from the same state where that is known. */
async function tinyQuote(
  quote: RouteQuote,
  amountIn: bigint,
  { callOnce }: BlockReads,
): Promise<bigint | null> {
  if (quote.pools === null) return await quoterSays(quote, amountIn, callOnce);
  const trade = tradePath(quote.pools, quote.path[0] as string, amountIn);
  return trade.outcome === "trades" ? trade.amountOut : null;
}

function largest<T extends { quote: RouteQuote }>(candidates: readonly T[]): T | null {
  return candidates.reduce<T | null>(
    (best, next) => (best === null || next.quote.amountOut > best.quote.amountOut ? next : best),
    null,
  );
}

/** The whole call data of the quoted route. */
export function encodeRouteCall(routes: readonly Route[], quote: QuoteFacts, call: RouteCall): string {
  const route = routes.find(
    ({ address, selector }) => address === quote.route && selector === quote.selector,
  );
  if (route === undefined) throw new Error(`the registry has no route ${quote.route} ${quote.selector}`);
  return adapterOf(route).encode(call);
}
