/**
 * The live market's sources out of the providers' adapters. Where one provider fails the next is asked, and
 * what nobody says is missing.
 */

import type { MarketSources } from "../collect/sources.ts";
import { createHistory, type LiveHistory } from "./history.ts";
import { impactsOf } from "./impacts.ts";
import { createOutcomes } from "./outcomes.ts";
import { perpsOf } from "./perps.ts";
import { poolsOf } from "./pools.ts";
import { pricesOf } from "./prices.ts";
import { createReferences } from "./references.ts";
import { connect, type LiveDeps } from "./upstreams.ts";

export type { LiveAsset } from "./assets.ts";
export type { LiveHistory } from "./history.ts";
export type { LiveDeps } from "./upstreams.ts";

export interface LiveMarket {
  readonly sources: MarketSources;
  readonly history: LiveHistory;
}

export function createLiveMarket(deps: LiveDeps): LiveMarket {
  const outcomes = createOutcomes(() => deps.now());
  const upstreams = connect({ ...deps, onOutcome: outcomes.note });
  return {
    sources: {
      outcomes: outcomes.drain,
      impactsOf: (asset) => impactsOf(upstreams, asset),
      pricesOf: () => pricesOf(upstreams),
      referencesOf: createReferences(upstreams),
      perpsOf: (underlyings) => perpsOf(upstreams, underlyings),
      poolsOf: () => poolsOf(upstreams),
    },
    history: createHistory(upstreams),
  };
}
