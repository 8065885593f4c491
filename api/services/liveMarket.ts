/** The live market's collection: the registry of real tokens, asked of public providers. */
import { createLiveMarket, type LiveMarket } from "../../market/live/live.ts";
import type { Budgets } from "../../market/providers/budgets.ts";
import { systemClock } from "../../market/providers/clock.ts";
import type { ProviderWatch } from "../../market/providers/request.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import type { Config } from "../settings/config.ts";
import { revealed } from "../settings/providers.ts";
import type { MarketSetup } from "./background.ts";

/** @param now unix milliseconds, by the database's clock @param budgets what processes on one database share */
export function openLiveMarket(
  { providers, rpcUrl }: Pick<Config, "providers" | "rpcUrl">,
  now: () => number,
  budgets: Budgets,
  watch?: ProviderWatch,
): LiveMarket {
  return createLiveMarket({
    assets: loadRegistry(),
    fetch,
    now,
    adapters: { clock: { ...systemClock, now } },
    budgets,
    ...(watch === undefined ? {} : { watch }),
    keys: revealed(providers.keys),
    baseUrls: providers.baseUrls,
    limits: providers.limits,
    node: { chain: "bnb", url: rpcUrl.reveal() },
  });
}

interface Context {
  now(): number;
  readonly budgets: Budgets;
  readonly watch?: ProviderWatch;
}

/** For a service: collects while it serves. */
export const liveMarket =
  (config: Pick<Config, "providers" | "rpcUrl">) =>
  ({ now, budgets, watch }: Context): MarketSetup => ({
    sources: openLiveMarket(config, now, budgets, watch).sources,
  });
