/** In which order tokens are asked for: those that can be priced first, and of them the most liquid. */
import type { MarketAsset } from "../queries.ts";
import { newestVolumes } from "../series/totals.ts";
import { SeriesDecimal } from "../series/units.ts";
import { type Round, seconds } from "./types.ts";

/** By the liquidity that counted last; where none is known yet, by what indexes state. @throws DatabaseUnavailable */
export async function inOrder(round: Round): Promise<MarketAsset[]> {
  const { market, assets } = round;
  const newest = await newestVolumes(round.db, seconds(round));
  const measured = new Map([...newest].map(([assetKey, { liquidityUsd }]) => [assetKey, liquidityUsd]));
  round.memory.stated ??= measured.size > 0 ? null : statedBy(round);
  const stated = measured.size > 0 ? measured : ((await round.memory.stated) ?? measured);
  const ranked = assets.map((asset, index) => ({
    asset,
    index,
    priced: market.canBePriced?.(asset) !== false,
    liquidity: new SeriesDecimal(stated.get(asset.assetKey) ?? 0),
  }));
  ranked.sort(
    (one, other) =>
      Number(other.priced) - Number(one.priced) ||
      other.liquidity.comparedTo(one.liquidity) ||
      one.index - other.index,
  );
  return ranked.map(({ asset }) => asset);
}

async function statedBy(round: Round): Promise<ReadonlyMap<string, string>> {
  const stated = new Map<string, string>();
  for (const { subject, figure } of await round.ask("liquidity", round.assets))
    stated.set(subject, new SeriesDecimal(stated.get(subject) ?? 0).plus(figure).toFixed());
  return stated;
}
