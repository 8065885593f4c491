/** The live market's collection: the registry of real tokens, asked of public providers. */
import { createLiveMarket, type LiveMarket } from "../../market/live.ts";
import { loadRegistry } from "../../market/registry/registry.ts";
import type { Config } from "../config.ts";
import type { PartsDeps } from "../parts.ts";

/** @param now unix milliseconds */
export function openLiveMarket(
  { providers, rpcUrl }: Pick<Config, "providers" | "rpcUrl">,
  now: () => number,
): LiveMarket {
  const { xstocks: _, ...baseUrls } = providers.baseUrls;
  const keys = Object.fromEntries(Object.entries(providers.keys).map(([name, key]) => [name, key.reveal()]));
  return createLiveMarket({
    assets: loadRegistry(),
    fetch,
    now,
    keys,
    baseUrls,
    bnbRpcUrl: rpcUrl.reveal(),
  });
}

/** For a service: collects while it serves. */
export const liveMarket =
  (config: Pick<Config, "providers" | "rpcUrl">): PartsDeps["market"] =>
  () => ({ sources: openLiveMarket(config, Date.now).sources });
