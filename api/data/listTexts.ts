/** The lists of the data API: which tokens there are, and how liquid. */
import { z } from "zod";
import { gradeOf } from "../../attestor/evidence/liquidity.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { liquidityScores, type MarketAsset } from "../../market/queries.ts";
import type { Row } from "./formats.ts";
import { array, dateTime, number, object } from "./json.ts";
import { Asset, LiquidityScore } from "./schemas.ts";
import { type More, secondsOf } from "./seriesTexts.ts";
import type { Texts } from "./texts.ts";
import { pageOf, type Window } from "./windows.ts";
import { listWritten, type Written } from "./written.ts";

export interface ListDeps {
  readonly db: Database;
  /** Why an asset cannot have a premium with the keys that there are; null: it can. Absent: all can. */
  readonly unpricedReason?: (asset: MarketAsset) => string | null;
  now(): UnixMs;
}

/** Where a page of tokens begins: after the one with this key. */
export const TokenPlace = z.string().max(100);
export type TokenWindow = Window<z.infer<typeof TokenPlace>>;

/** A row as JSON, of which token, and as of when it is; null: that is not told. */
interface ListRow {
  readonly assetKey: string;
  readonly json: string;
  readonly at: number | null;
}

export interface TokenList {
  readonly dataset: string;
  readonly columns: readonly string[];
  readonly units: Readonly<Record<string, string>>;
  /** @throws DatabaseUnavailable */
  rows(deps: ListDeps, listed: readonly MarketAsset[]): Promise<readonly ListRow[]>;
  text(texts: Texts, rows: readonly ListRow[], more?: More): string;
}

function scoresOf({ db, now }: ListDeps, listed: readonly MarketAsset[]) {
  const assetKeys = listed.map(({ assetKey }) => assetKey);
  return liquidityScores(db, assetKeys, secondsOf({ now }));
}

export const ASSETS: TokenList = {
  dataset: "assets",
  columns: Object.keys(Asset.shape),
  units: { decimals: "raw units are whole tokens times 10 to their power", tags: "JSON" },
  async rows(deps, listed) {
    const scores = await scoresOf(deps, listed);
    return listed.map((asset, index) => ({
      assetKey: asset.assetKey,
      at: null,
      json: JSON.stringify({
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
      }),
    }));
  },
  text: ({ attribution }, rows, more = []) =>
    object([
      ["attribution", JSON.stringify(attribution)],
      ["count", String(rows.length)],
      ["assets", array(rows.map(({ json }) => json))],
      ...more,
    ]),
};

export const SCORES: TokenList = {
  dataset: "liquidity-scores",
  columns: Object.keys(LiquidityScore.shape),
  units: { impact_1k_bps: "basis points", impact_10k_bps: "basis points", updated_at: "ISO 8601 UTC" },
  async rows(deps, listed) {
    const scores = await scoresOf(deps, listed);
    return scores.flatMap((score, index) => {
      const asset = listed[index];
      // An asset without samples has no score yet.
      if (!asset || score.updatedAt === null) return [];
      const json = object([
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
      return [{ assetKey: asset.assetKey, json, at: score.updatedAt }];
    });
  },
  text: ({ attribution, methodology }, rows, more = []) =>
    object([
      ["attribution", JSON.stringify(attribution)],
      ["methodology", JSON.stringify(methodology)],
      ["scores", array(rows.map(({ json }) => json))],
      ...more,
    ]),
};

/** A part of a list, in whichever form. Without a limit it is all there is. */
export async function listWindow(
  list: TokenList,
  deps: ListDeps,
  texts: Texts,
  listed: readonly MarketAsset[],
  { from, to, limit, after, format }: TokenWindow,
): Promise<Written> {
  const all = (await list.rows(deps, listed)).filter(
    ({ at }) => at === null || ((from === undefined || at >= from) && (to === undefined || at < to)),
  );
  const { page, next } = pageOf(afterToken(all, listed, after), limit ?? all.length, (row) => row.assetKey);
  return listWritten(
    format,
    {
      ...{ dataset: list.dataset, units: list.units, attribution: texts.attribution },
      ...{ window: { from: timeOf(from), to: timeOf(to) }, now: secondsOf(deps) },
    },
    list.columns,
    next,
    () => page.map(({ json }) => JSON.parse(json) as Row),
    () => list.text(texts, page, [["next_cursor", JSON.stringify(next)]]),
  );
}

export const timeOf = (seconds: number | undefined) => (seconds === undefined ? null : dateTime(seconds));

/** Rows of the tokens that are listed after one; all where it is not listed any more. */
export function afterToken<R extends { readonly assetKey: string }>(
  rows: readonly R[],
  listed: readonly MarketAsset[],
  after: string | undefined,
): readonly R[] {
  if (after === undefined) return rows;
  const place = listed.findIndex(({ assetKey }) => assetKey === after);
  const before = new Set(listed.slice(0, place + 1).map(({ assetKey }) => assetKey));
  return rows.filter(({ assetKey }) => !before.has(assetKey));
}
