/** A service that runs without a chain, a key and a market. */
import type { Services } from "../../api/services.ts";
import type { Registry } from "../../attestor/registry.ts";
import { assetKeyOf } from "../../attestor/values/primitives.ts";

const chainId = 31_337;

/** Of one stock and one dollar, by their addresses. */
export function registryOfOne(version: string, stock: string, dollar: string): Registry {
  const asset = (address: string, symbol: string, kind: "stock" | "settlement") => ({
    ...{ assetKey: assetKeyOf(chainId, address), chainId, address, symbol, name: symbol, kind },
    ...{ underlying: kind === "stock" ? "AAPL" : null, issuer: "xstocks", decimals: 18 },
    ...{ priceSources: [], tokenSources: [] },
  });
  const assets = [asset(stock, "AAPLx", "stock"), asset(dollar, "USDL", "settlement")];
  return { version, chainId, assets, routes: [] };
}

/** What stands behind the routes of such a service. @param more instead, or beyond */
export function servicesWithoutChain(registry: Registry, jobs: object = {}, more: object = {}): Services {
  const deployment = { registry, source: "simulated", guard: `0x${"3".repeat(40)}` };
  return {
    deployment,
    assets: [],
    chain: { deployment, probe: async () => {} },
    jobs: { chain: { deployment }, ...jobs },
    resolveJobToken: async () => null,
    stop: async () => {},
    ...more,
  } as unknown as Services;
}
