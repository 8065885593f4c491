/** A service that runs without a chain, a key and a market: it has a registry of one stock and one dollar. */
import type { Services } from "../../api/services.ts";
import { assetKeyOf } from "../../attestor/values/primitives.ts";

const chainId = 31_337;
const at = (digit: string) => `0x${digit.repeat(40)}`;

const asset = (address: string, symbol: string, kind: "stock" | "settlement") => ({
  ...{ assetKey: assetKeyOf(chainId, address), chainId, address, symbol, name: symbol, kind },
  ...{ underlying: kind === "stock" ? "AAPL" : null, issuer: "xstocks" as const, decimals: 18 },
  ...{ priceSources: [], tokenSources: [] },
});

export const STOCK = asset(at("1"), "AAPLx", "stock");

const registry = {
  version: "openapi",
  chainId,
  assets: [STOCK, asset(at("2"), "USDL", "settlement")],
  routes: [],
};
export const DEPLOYMENT = { registry, source: "simulated", guard: at("3") } as const;

/** What stands behind the routes. @param more instead, or beyond */
export function servicesWithoutChain(more: object): Services {
  return {
    deployment: DEPLOYMENT,
    assets: [],
    chain: { deployment: DEPLOYMENT, probe: async () => {} },
    jobs: { chain: { deployment: DEPLOYMENT } },
    resolveJobToken: async () => null,
    stop: async () => {},
    ...more,
  } as unknown as Services;
}
