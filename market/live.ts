/**
 * The live market's sources out of the providers' adapters. Where one provider fails the next is asked, and
 * what nobody says is missing.
 */
import { createHistory, type LiveHistory } from "./live/history.ts";
import { impactsOf } from "./live/impacts.ts";
import { perpsOf } from "./live/perps.ts";
import { pricesOf } from "./live/prices.ts";
import { createReferences } from "./live/references.ts";
import { connect, type LiveDeps } from "./live/upstreams.ts";
import { volumesOf } from "./live/volumes.ts";
import type { MarketSources } from "./sources.ts";

export type { LiveAsset } from "./live/assets.ts";
export type { LiveHistory } from "./live/history.ts";
export { type LiveDeps, PROVIDERS, type ProviderName } from "./live/upstreams.ts";

export interface LiveMarket {
  readonly sources: MarketSources;
  readonly history: LiveHistory;
}

export function createLiveMarket(deps: LiveDeps): LiveMarket {
  const upstreams = connect(deps);
  return {
    sources: {
      impactsOf: (asset) => impactsOf(upstreams, asset),
      pricesOf: () => pricesOf(upstreams),
      referencesOf: createReferences(upstreams),
      perpsOf: (underlyings) => perpsOf(upstreams, underlyings),
      volumesOf: () => volumesOf(upstreams),
    },
    history: createHistory(upstreams),
  };
}
