/** What the live market asks about. */
import type { Chain } from "../../attestor/chains.ts";
import type { MarketAsset } from "../queries.ts";

/** How many shares a token is, as the registry says it. */
export interface LiveAsset extends MarketAsset {
  readonly shares: "multiplier" | "rebasing" | "ratio";
}

export function onChain(assets: readonly LiveAsset[], chain: Chain): LiveAsset[] {
  return assets.filter((asset) => asset.chain === chain);
}

/** Of the listed tokens those that a round wants. */
export function askedOf(
  { assets }: { readonly assets: readonly LiveAsset[] },
  wanted: readonly MarketAsset[],
): LiveAsset[] {
  const keys = new Set(wanted.map(({ assetKey }) => assetKey));
  return assets.filter(({ assetKey }) => keys.has(assetKey));
}
