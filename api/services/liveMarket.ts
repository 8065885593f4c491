/** The live market's collection: the registry of real tokens, asked of public providers. */
import type { JsonRpcProvider } from "ethers";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { tokenOnChain } from "../../chain/facts/token.ts";
import { connectMarket, type LiveMarket } from "../../market/providers/connect.ts";
import type { ProviderWatch } from "../../market/providers/http.ts";
import type { ProviderLimits } from "../../market/providers/limits.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import type { Config } from "../settings/config.ts";
import { revealed } from "../settings/providers.ts";
import type { MarketSetup } from "./background.ts";

interface Context {
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  /** By the database's clock. */
  now(): UnixMs;
  readonly limits: ProviderLimits;
  readonly watch?: ProviderWatch;
}

export function openLiveMarket(
  { providers }: Pick<Config, "providers">,
  { now, limits, watch, ...chain }: Context,
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
    factsOf: (assetKey, at) => tokenOnChain(chain, assetKey, at),
  });
}

/** For a service: collects while it serves. */
export const liveMarket =
  (config: Pick<Config, "providers">) =>
  (context: Context): MarketSetup => ({ market: openLiveMarket(config, context) });
