/** The live market's collection: the registry of real tokens, asked of public providers. */
import type { JsonRpcProvider } from "ethers";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { tokenOnChain } from "../../chain/facts/token.ts";
import type { Retention } from "../../market/collect/retention.ts";
import { connectMarket, type LiveMarket } from "../../market/providers/connect.ts";
import type { ProviderWatch } from "../../market/providers/http.ts";
import type { ProviderLimits } from "../../market/providers/limits.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import type { Market } from "../../market/round.ts";
import type { Config } from "../settings/config.ts";
import { revealed } from "../settings/providers.ts";

/** What a service collects by. */
export interface MarketSetup {
  readonly market: Market;
  readonly retention?: Retention;
  /** Cron pattern of the rounds, in UTC (every five minutes). */
  readonly pattern?: string;
}

/** What a market is opened with. */
export interface MarketContext {
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  readonly assets: readonly MarketAsset[];
  /** Real time by the database's clock. */
  now(): UnixMs;
  /** By which providers are asked. */
  readonly limits: ProviderLimits;
  /** Looks on while they are. */
  readonly watch?: ProviderWatch;
}

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
