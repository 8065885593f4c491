/** The live market's collection: the registry of real tokens, asked of public providers. */
import type { JsonRpcProvider } from "ethers";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { factorOnChain, tokenOnChain } from "../../chain/facts/token.ts";
import { createLiveMarket, type LiveMarket } from "../../market/live/live.ts";
import type { Budgets } from "../../market/providers/budgets.ts";
import { systemClock } from "../../market/providers/clock.ts";
import type { ProviderWatch } from "../../market/providers/request.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import type { Config } from "../settings/config.ts";
import { revealed } from "../settings/providers.ts";
import type { MarketSetup } from "./background.ts";

interface Context {
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  /** By the database's clock. */
  now(): UnixMs;
  /** What processes on one database share. */
  readonly budgets: Budgets;
  readonly watch?: ProviderWatch;
}

export function openLiveMarket(
  { providers }: Pick<Config, "providers">,
  { now, budgets, watch, ...chain }: Context,
): LiveMarket {
  return createLiveMarket({
    assets: loadRegistry(),
    fetch,
    now,
    adapters: { clock: { ...systemClock, now } },
    budgets,
    watch,
    keys: revealed(providers.keys),
    baseUrls: providers.baseUrls,
    limits: providers.limits,
    chainRatio: (assetKey) => factorOnChain(chain, assetKey),
    chainFacts: (assetKey, at) => tokenOnChain(chain, assetKey, at),
  });
}

/** For a service: collects while it serves. */
export const liveMarket =
  (config: Pick<Config, "providers">) =>
  (context: Context): MarketSetup => ({ sources: openLiveMarket(config, context).sources });
