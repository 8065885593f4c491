/** The lists of the data API as text: which tokens there are, and how liquid. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { liquidityScores, type MarketAsset } from "../../market/queries.ts";
import { gradeOf } from "../../market/series/liquidity.ts";
import { array, dateTime, number, object } from "./json.ts";
import type { Texts } from "./texts.ts";

export interface ListDeps {
  readonly db: Database;
  /** Why an asset cannot have a premium with the keys that there are; null: it can. Absent: all can. */
  readonly unpricedReason?: (asset: MarketAsset) => string | null;
  now(): UnixMs;
}

function scoresOf({ db, now }: ListDeps, listed: readonly MarketAsset[]) {
  const assetKeys = listed.map(({ assetKey }) => assetKey);
  return liquidityScores(db, assetKeys, Math.floor(now() / 1000));
}

/** @throws DatabaseUnavailable */
export async function assetsText(
  deps: ListDeps,
  { attribution }: Texts,
  listed: readonly MarketAsset[],
): Promise<string> {
  const scores = await scoresOf(deps, listed);
  return JSON.stringify({
    attribution,
    count: listed.length,
    assets: listed.map((asset, index) => ({
      symbol: asset.symbol,
      underlying: asset.underlying,
      name_en: asset.nameEn,
      name_cn: asset.nameCn,
      issuer: asset.issuer,
      chain: asset.chain,
      address: asset.address,
      tags: asset.tags,
      grade: scores[index]?.grade ?? null,
      decimals: asset.decimals,
      asset_key: asset.assetKey,
      address_confidence: asset.confidence ?? "high",
      unpriced_reason: deps.unpricedReason?.(asset) ?? null,
    })),
  });
}

/** @throws DatabaseUnavailable */
export async function scoresText(
  deps: ListDeps,
  { attribution, methodology }: Texts,
  listed: readonly MarketAsset[],
): Promise<string> {
  const scores = await scoresOf(deps, listed);
  const rows = scores.flatMap((score, index) => {
    const asset = listed[index];
    // An asset without samples has no score yet.
    if (!asset || score.updatedAt === null) return [];
    return object([
      ["symbol", JSON.stringify(asset.symbol)],
      ["grade", JSON.stringify(gradeOf(score.impact10kBps))],
      ["impact_1k_bps", number(score.impact1kBps)],
      ["impact_10k_bps", number(score.impact10kBps)],
      ["sample_n", String(score.sampleN)],
      ["updated_at", JSON.stringify(dateTime(score.updatedAt))],
      ["chain", JSON.stringify(asset.chain)],
      ["address", JSON.stringify(asset.address)],
      ["source", JSON.stringify(score.source)],
    ]);
  });
  return object([
    ["attribution", JSON.stringify(attribution)],
    ["methodology", JSON.stringify(methodology)],
    ["scores", array(rows)],
  ]);
}
