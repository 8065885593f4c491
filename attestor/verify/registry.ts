/** Whether what evidence says of route, pools and token is what a registry says. */
import type { Evidence } from "../evidence/evidence.ts";
import type { QuoteFacts } from "../evidence/facts.ts";
import { poolAddress } from "../pools/create2.ts";
import { findAsset, type Registry, type Route } from "../registry.ts";
import { sameJson } from "../steps.ts";

/** Whether quote, route and the layout of the token's multiplier are those of a registry. */
export function fitsRegistry(
  { quote, token, trade }: Pick<Evidence, "quote" | "token" | "trade">,
  registry: Registry,
): boolean {
  const { routes } = registry;
  const named = findAsset(registry, trade.stockAssetKey)?.multiplierLayout;
  if (token.layout !== null && !sameJson(token.layout, named)) return false;
  if (quote === null) return true;
  const route = routes.find(
    ({ address, selector }) => address === quote.route && selector === quote.selector,
  );
  if (route === undefined || route.name !== quote.routeName) return false;
  if (!arePoolsOfRoute(quote, route)) return false;
  return route.kind === "uniswap-v2" || quote.fees.every((fee) => route.feeTiers.includes(fee));
}

/** Whether these pools are those that a registry's route goes through: the address follows from the tokens. */
export function arePoolsOfRoute(
  { path, fees, pools }: Pick<QuoteFacts, "path" | "fees" | "pools">,
  route: Route,
): boolean {
  if (pools === null) return true;
  return pools.every((pool, hop) => {
    const isV3 = pool.kind === "uniswap-v3";
    const { pools: layout } = route;
    if (layout === undefined || layout.layout !== pool.kind) return false;
    if (layout.layout === "uniswap-v2" && !isV3 && layout.feeBps !== pool.feeBps) return false;
    const [input, output] = [path[hop], path[hop + 1]];
    if (input === undefined || output === undefined) return false;
    return pool.address === poolAddress(route, input, output, isV3 ? (fees[hop] ?? null) : null);
  });
}
