/** The newest values of all tokens, or of those that are asked for. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { type LiquidityScore, liquidityScores, type MarketAsset } from "../../market/queries.ts";
import { type LatestPremium, latestPremiums } from "../../market/sampled.ts";
import { HOUR_SECONDS } from "../../market/series/hours.ts";
import { type DayFigures, newestVolumes } from "../../market/series/totals.ts";
import { pricePerShare } from "../../market/series/units.ts";
import { nextTurn } from "../http/turns.ts";
import { dateTime } from "./json.ts";
import { findByAddress } from "./listing.ts";
import type { ListDeps } from "./listTexts.ts";
import { name, optionList, someOf } from "./query.ts";
import { Grade, Issuer } from "./schemas.ts";
import { secondsOf } from "./seriesTexts.ts";

/** Names that one question may have. */
const LONGEST_LIST = 4_000;

export const LatestQuery = z.strictObject({
  symbol: someOf(
    z.string().min(1).max(64),
    "Only tokens with these symbols, as minted, with commas between",
    LONGEST_LIST,
  ),
  chain: someOf(z.enum(CHAIN_NAMES), `Only on these chains: ${CHAIN_NAMES.join(", ")}`),
  issuer: someOf(Issuer, `Only of these issuers: ${optionList(Issuer)}`),
  grade: someOf(Grade, `Only with these liquidity grades: ${optionList(Grade)}`),
  underlying: someOf(
    z.string().min(1).max(16),
    "Only of the stocks with these tickers, with commas between",
    LONGEST_LIST,
  ),
  address: name("Only the token at this address, in any letter case on EVM chains"),
  q: name("Only tokens whose symbol, ticker or name has each of these words, in any letter case"),
});
/** Which tokens; what is absent leaves none out. */
export type LatestQuery = z.infer<typeof LatestQuery>;

/** @throws DatabaseUnavailable */
export async function latestText(
  deps: ListDeps,
  attribution: string,
  assets: readonly MarketAsset[],
  query: LatestQuery,
): Promise<string> {
  const now = secondsOf(deps);
  const listed = query.address === undefined ? assets : findByAddress(assets, query.address);
  const wanted = listed.filter((asset) => isWanted(asset, query));
  const keys = wanted.map(({ assetKey }) => assetKey);
  const premiums = await latestPremiums(deps.db, keys);
  const scores = await liquidityScores(deps.db, keys, now);
  const volumes = await newestVolumes(deps.db, now);
  const tokens = wanted.flatMap((asset, index) => {
    const score = scores[index];
    if (query.grade !== undefined && !query.grade.some((grade) => grade === score?.grade)) return [];
    return {
      symbol: asset.symbol,
      chain: asset.chain,
      issuer: asset.issuer,
      address: asset.address,
      asset_key: asset.assetKey,
      underlying: asset.underlying,
      name_en: asset.nameEn,
      name_cn: asset.nameCn,
      unpriced_reason: deps.unpricedReason?.(asset) ?? null,
      ...premiumMembers(premiums.get(asset.assetKey), now),
      ...impactMembers(score, now),
      ...volumeMembers(volumes.get(asset.assetKey), now),
    };
  });
  await nextTurn();
  return JSON.stringify({ attribution, generated_at: dateTime(now), count: tokens.length, tokens });
}

function isWanted(asset: MarketAsset, { symbol, chain, issuer, underlying, q }: LatestQuery): boolean {
  const among = (wanted: readonly string[] | undefined, own: string) => wanted?.includes(own) ?? true;
  const names = [asset.symbol, asset.underlying, asset.nameEn, asset.nameCn].join("\n").toLowerCase();
  const searched = q?.toLowerCase().split(/\s+/) ?? [];
  return (
    among(symbol, asset.symbol) &&
    among(chain, asset.chain) &&
    among(issuer, asset.issuer) &&
    among(underlying, asset.underlying) &&
    searched.every((word) => names.includes(word))
  );
}

const timeOf = (seconds: number | null | undefined) => (seconds == null ? null : dateTime(seconds));
const ageOf = (seconds: number | null | undefined, now: number) =>
  seconds == null ? null : Math.max(0, now - seconds);
/** Of at most 15 digits: the shortest text of that number is the text again. */
const bps = (decimal: string | null | undefined) => (decimal == null ? null : Number(decimal));

function premiumMembers(latest: LatestPremium | undefined, now: number) {
  const { sample } = latest ?? {};
  const { tokenPriceUsd = null, sharesPerToken = null, referencePriceUsd = null } = sample ?? {};
  return {
    premium_bps: bps(latest?.premiumBps),
    state: sample?.state ?? null,
    spread_bps: bps(latest?.spreadBps),
    witnesses: sample?.witnesses ?? null,
    net_edge_bps: bps(latest?.netEdgeBps),
    source: sample?.source ?? null,
    reference: sample?.referenceSource ?? null,
    reference_age: sample?.referenceAgeSeconds ?? null,
    session: sample?.session ?? null,
    halted: sample?.halted ?? null,
    price_usd: tokenPriceUsd,
    price_per_share_usd: pricePerShare(tokenPriceUsd, sharesPerToken),
    reference_price_usd: referencePriceUsd,
    shares_per_token: sharesPerToken,
    hour: timeOf(sample && sample.sampledAt - (sample.sampledAt % HOUR_SECONDS)),
    sampled_at: timeOf(sample?.sampledAt),
    age: ageOf(sample?.sampledAt, now),
  };
}

function impactMembers(score: LiquidityScore | undefined, now: number) {
  return {
    grade: score?.grade ?? null,
    impact_1k_bps: bps(score?.impact1kBps),
    impact_10k_bps: bps(score?.impact10kBps),
    impact_at: timeOf(score?.updatedAt),
    impact_age: ageOf(score?.updatedAt, now),
  };
}

function volumeMembers(newest: DayFigures | undefined, now: number) {
  return {
    volume_24h_usd: newest?.volume24hUsd ?? null,
    liquidity_usd: newest?.liquidityUsd ?? null,
    volume_at: timeOf(newest?.sampledAt),
    volume_age: ageOf(newest?.sampledAt, now),
  };
}
