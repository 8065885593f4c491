/** A registry for a service that runs without a chain. */
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
