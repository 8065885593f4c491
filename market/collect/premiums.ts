/** Premium of each token against its stock. */

import type { MarketAsset } from "../queries.ts";
import { chunksOf } from "../series/buckets.ts";
import { type PremiumSample, recordPremiums } from "../series/premium.ts";
import type { Rejection } from "../series/rejected.ts";
import { lastShares } from "../series/shares.ts";
import { SeriesDecimal } from "../series/units.ts";
import { accepted } from "./accepted.ts";
import { CONTINUITY_BOUND_BPS, SHARE_RATIO_BOUND_BPS } from "./bounds.ts";
import { pricingPool } from "./choosePools.ts";
import { choosePrice, type LastShares, perShare, ratioFollows } from "./choosePrice.ts";
import { IMPACT_COUNTS_SECONDS, recentImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import type { PoolState, Reference, TokenPrice } from "./sources.ts";
import { ageOf, grouped, NOTHING, type RecentImpact, type Round, type Step, seconds } from "./types.ts";

/** What trading platforms take of such a trade, basis points. */
export const PLATFORM_FEE_BPS = "10";

/** Tokens whose premiums are stored together, so that nobody waits for the last of them. */
const TOKENS_AT_ONCE = 50;

export const collectPremiums: Step = async (round) => {
  const { pricesOf, poolsOf, canBePriced } = round.sources;
  if (!pricesOf && !poolsOf) return NOTHING;
  const [, assets] = await Promise.all([round.references(), inOrder(round)]);
  const priced = assets.filter((asset) => canBePriced?.(asset) !== false);
  let stored = 0;
  for (const some of chunksOf(priced, TOKENS_AT_ONCE)) {
    if (round.signal?.aborted) break;
    stored += await premiumsOf(round, some);
    round.progress(stored);
  }
  return stored;
};

/** Stores the premiums of some tokens. @returns how many */
async function premiumsOf(round: Round, assets: readonly MarketAsset[]): Promise<number> {
  const [references, prices, pools] = await Promise.all([
    round.references(),
    statedPrices(round, assets),
    round.pools(assets),
  ]);
  const last = await sharesBefore(round);
  const impacts = await recentImpacts(round);
  const samples: PremiumSample[] = [];
  const aside: Rejection[] = [];
  for (const asset of assets) {
    const reference = references.get(asset.underlying);
    const rows = prices.get(asset.assetKey) ?? [];
    const judged = judge(asset, rows, pools.get(asset.assetKey) ?? [], reference, last.get(asset.assetKey));
    aside.push(...judged.aside);
    const { chosen, witnesses } = judged;
    if (!chosen) continue;
    samples.push(sampleOf(round, { chosen, witnesses }, reference, impacts.get(asset.assetKey)));
    last.set(asset.assetKey, { sharesPerToken: chosen.sharesPerToken, perShareUsd: perShare(chosen) });
  }
  await round.reject(aside);
  const { stored, rejected } = await recordPremiums(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
}

/** By asset key, in the order of preference. Where they cannot be had, pools may still price their tokens. */
async function statedPrices(
  round: Round,
  assets: readonly MarketAsset[],
): Promise<ReadonlyMap<string, TokenPrice[]>> {
  if (!round.sources.pricesOf) return new Map();
  const rows = await accepted(round, "price", await round.sources.pricesOf(assets), (row) => ({
    subject: row.assetKey,
    source: row.source,
    price: row.tokenPriceUsd,
    at: row.at,
  }));
  return grouped(rows, ({ assetKey }) => assetKey);
}

async function sharesBefore(round: Round): Promise<Map<string, LastShares>> {
  const { memory } = round;
  memory.shares ??= await lastShares(round.db, round.assets, seconds(round));
  return memory.shares;
}

interface Judged {
  readonly chosen: TokenPrice | null;
  readonly witnesses: number;
  readonly aside: readonly Rejection[];
}

/** What the sources say of one token, its pools among them. */
function judge(
  { assetKey }: MarketAsset,
  stated: readonly TokenPrice[],
  pools: readonly PoolState[],
  reference: Reference | undefined,
  last: LastShares | undefined,
): Judged {
  const referenceUsd = reference?.priceUsd ?? null;
  const pool = priceOfPool(pools, stated, referenceUsd);
  const rows = [...pool.rows.filter(({ preferred }) => preferred).map(({ row }) => row), ...stated];
  rows.push(...pool.rows.filter(({ preferred }) => !preferred).map(({ row }) => row));
  const bounds = { ratioBps: SHARE_RATIO_BOUND_BPS, continuityBps: CONTINUITY_BOUND_BPS };
  const following = rows.filter((row) => ratioFollows(row, last, referenceUsd, bounds));
  const choice = choosePrice(following, referenceUsd);
  const rejection = (reason: string, sample: unknown): Rejection => ({
    kind: "price",
    subject: assetKey,
    reason,
    sample,
  });
  return {
    chosen: choice.chosen,
    witnesses: choice.witnesses,
    aside: [
      ...pool.aside.map(({ row, reason }) => rejection(reason, row)),
      ...rows
        .filter((row) => !following.includes(row))
        .map((row) => rejection("share_ratio_jump", { ...row, last: last?.sharesPerToken })),
      ...choice.aside.map(({ row, reason }) => rejection(reason, row)),
    ],
  };
}

/** The pool's price comes first where other sources are quotes alone, so that a series keeps its source. */
function priceOfPool(
  pools: readonly PoolState[],
  stated: readonly TokenPrice[],
  referenceUsd: string | null,
) {
  const sharesPerToken = pools.find((pool) => pool.sharesPerToken !== null)?.sharesPerToken ?? null;
  if (sharesPerToken === null) return { rows: [], aside: [] };
  const raw = (usd: string) => new SeriesDecimal(usd).times(sharesPerToken).toDecimalPlaces(18).toFixed();
  const [witness] = stated;
  const { pool, aside } = pricingPool(
    pools,
    witness ? raw(perShare(witness)) : null,
    referenceUsd === null ? null : raw(referenceUsd),
  );
  if (pool?.priceUsd == null) return { rows: [], aside };
  const row: TokenPrice = {
    assetKey: pool.assetKey,
    source: pool.source,
    tokenPriceUsd: pool.priceUsd,
    sharesPerToken,
    at: pool.at,
  };
  return { rows: [{ row, preferred: stated.every(({ quoted }) => quoted === true) }], aside };
}

function sampleOf(
  round: Round,
  { chosen: row, witnesses }: { readonly chosen: TokenPrice; readonly witnesses: number },
  reference: Reference | undefined,
  impact: RecentImpact | undefined,
): PremiumSample {
  const counts = impact !== undefined && Math.abs(row.at - impact.at) <= IMPACT_COUNTS_SECONDS;
  return {
    assetKey: row.assetKey,
    sampledAt: row.at,
    source: row.source,
    session: round.sessionAt(row.at),
    tokenPriceUsd: row.tokenPriceUsd,
    sharesPerToken: row.sharesPerToken,
    referencePriceUsd: reference?.priceUsd ?? null,
    referenceSource: reference?.source ?? null,
    referenceAgeSeconds: ageOf(reference, row.at),
    witnesses: Math.min(witnesses, reference?.witnesses ?? witnesses),
    impact1kBps: counts ? impact.impact1kBps : null,
    platformFeeBps: round.platformFeeBps ?? PLATFORM_FEE_BPS,
  };
}
