/** The lists of the data API: which tokens there are, and how liquid. */
import { gradeOf } from "../../attestor/evidence/liquidity.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { liquidityScores, type MarketAsset } from "../../market/queries.ts";
import { array, dateTime, number, object } from "./json.ts";
import { secondsOf } from "./seriesTexts.ts";
import type { Texts } from "./texts.ts";

export interface ListDeps {
  readonly db: Database;
  /** Why an asset cannot have a premium with the keys that there are; null: it can. Absent: all can. */
  readonly unpricedReason?: (asset: MarketAsset) => string | null;
  now(): UnixMs;
}

export interface TokenList {
  readonly name: string;
  /** In JSON. @throws DatabaseUnavailable */
  text(texts: Texts, deps: ListDeps, listed: readonly MarketAsset[]): Promise<string>;
}

function scoresOf({ db, now }: ListDeps, listed: readonly MarketAsset[]) {
  const assetKeys = listed.map(({ assetKey }) => assetKey);
  return liquidityScores(db, assetKeys, secondsOf({ now }));
}

export const ASSETS: TokenList = {
  name: "assets",
  async text({ attribution }, deps, listed) {
    const scores = await scoresOf(deps, listed);
    const assets = listed.map((asset, index) => ({
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
    }));
    return JSON.stringify({ attribution, count: assets.length, assets });
  },
};

export const SCORES: TokenList = {
  name: "liquidity-scores",
  async text({ attribution, methodology }, deps, listed) {
    const scores = (await scoresOf(deps, listed)).flatMap((score, index) => {
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
      ["scores", array(scores)],
    ]);
  },
};
