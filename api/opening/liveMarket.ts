/** The live market's collection: the registry of real tokens, asked of public providers. */
import { tokenOnChain } from "../../chain/facts/token.ts";
import { connectMarket, type LiveMarket } from "../../market/providers/connect.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import type { MarketContext, MarketSetup } from "../service.ts";
import type { Config } from "../settings/config.ts";
import { revealed } from "../settings/providers.ts";

export function openLiveMarket(
  { providers }: Pick<Config, "providers">,
  { deployment, provider, now, limits, watch }: Omit<MarketContext, "assets">,
): LiveMarket {
  return connectMarket({
    tokens: loadRegistry(),
    fetch,
    now,
    limits,
    ...(watch && { watch }),
    keys: revealed(providers.keys),
    baseUrls: providers.baseUrls,
    requestLimits: providers.limits,
    factsOf: (assetKey, at) => tokenOnChain({ deployment, provider }, assetKey, at),
  });
}

/** For a service: collects while it serves. */
export const liveMarket =
  (config: Pick<Config, "providers">) =>
  (context: MarketContext): MarketSetup => ({ market: openLiveMarket(config, context) });
