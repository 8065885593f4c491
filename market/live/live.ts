/**
 * The live market's sources out of the providers' adapters. Where one provider fails the next is asked, and
 * what nobody says is missing.
 */
import type { LiveHistory, MarketSources } from "../collect/sources.ts";
import { actionsOf } from "./corporateActions.ts";
import { gathered } from "./findings.ts";
import { createHistory } from "./history.ts";
import { impactsOf } from "./impacts.ts";
import { listingsOf } from "./listings.ts";
import { createOutcomes } from "./outcomes.ts";
import { perpsOf } from "./perps.ts";
import { poolsOf, statedLiquidity } from "./pools.ts";
import { pricesOf } from "./prices.ts";
import { createReferences } from "./references.ts";
import { canBePriced, ratiosOf } from "./shares.ts";
import { connect, type LiveDeps } from "./upstreams.ts";

export type { LiveAsset } from "./assets.ts";
export type { LiveDeps } from "./upstreams.ts";

export interface LiveMarket {
  readonly sources: MarketSources;
  readonly history: LiveHistory;
}

export function createLiveMarket(deps: LiveDeps): LiveMarket {
  const outcomes = createOutcomes(() => deps.now());
  const upstreams = connect({ ...deps, onOutcome: outcomes.note });
  const { referencesOf, afterwards } = createReferences(upstreams);
  const keys = new Set(
    deps.assets.filter((asset) => canBePriced(asset, deps.keys)).map(({ assetKey }) => assetKey),
  );
  return {
    sources: {
      outcomes: outcomes.drain,
      impactsOf: (asset) => impactsOf(upstreams, asset),
      pricesOf: (assets) => pricesOf(upstreams, assets),
      ratiosOf: (assets) => ratiosOf(upstreams, assets),
      actionsOf: (assets) => actionsOf(upstreams, assets),
      listingsOf: (assets) => listingsOf(upstreams, assets),
      referencesOf,
      afterwards: () =>
        gathered<never>([
          ["references", afterwards],
          ["shares", upstreams.schedules.refresh],
        ]),
      perpsOf: (underlyings) => perpsOf(upstreams, underlyings),
      poolsOf: (assets) => poolsOf(upstreams, assets),
      canBePriced: ({ assetKey }) => keys.has(assetKey),
      statedLiquidity: () => statedLiquidity(upstreams),
    },
    history: createHistory(upstreams),
  };
}
