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
  const { pythHermesKey, finnhubKey, baseUrls } = providers;
  return createLiveMarket({
    assets: loadRegistry(),
    fetch,
    now,
    keys: {
      ...(pythHermesKey ? { pythHermes: pythHermesKey.reveal() } : {}),
      ...(finnhubKey ? { finnhub: finnhubKey.reveal() } : {}),
    },
    baseUrls: {
      ...(baseUrls.pythHermes ? { pythHermes: baseUrls.pythHermes } : {}),
      ...(baseUrls.finnhub ? { finnhub: baseUrls.finnhub } : {}),
    },
    bnbRpcUrl: rpcUrl.reveal(),
  });
}

/** For a service: collects while it serves. */
export const liveMarket =
  (config: Pick<Config, "providers" | "rpcUrl">): PartsDeps["market"] =>
  () => ({ sources: openLiveMarket(config, Date.now).sources });
