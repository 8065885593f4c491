/** Premium of each token against its stock. */
import type { MarketAsset } from "../queries.ts";
import { chunksOf } from "../series/buckets.ts";
import { type PremiumSample, recordPremiums } from "../series/premium.ts";
import type { Rejection } from "../series/rejected.ts";
import { type LastShares, lastShares } from "../series/shares.ts";
import { SeriesDecimal } from "../series/units.ts";
import { accepted, noted } from "./accepted.ts";
import { CADENCE_SECONDS, LAST_PRICE_SECONDS, SHARE_RATIO_BOUND_BPS } from "../bounds.ts";
import { pricingPool } from "./choosePools.ts";
import {
  type AnyPrice,
  asideOf,
  choosePrice,
  chooseRatio,
  isNearStock,
  type Judged,
  ratioFollows,
  turnedDown,
} from "./choosePrice.ts";
import { type Aside, excluded } from "./chooseReference.ts";
import { noteStated } from "./exclusions.ts";
import { type Figure, noteFigures } from "./figures.ts";
import { IMPACT_COUNTS_SECONDS, recentImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import type { PoolState, Reference, ShareRatio, TokenPrice } from "./sources.ts";
import { ageOf, inputsOf, NOTHING, namesOf, type Round, type Step, seconds, spreadOf } from "./types.ts";
import { differenceBps, worstOf } from "../level.ts";

/** What trading platforms take of such a trade, basis points. */
export const PLATFORM_FEE_BPS = "10";

/** Tokens whose premiums are stored together, so that nobody waits for the last of them. */
export const TOKENS_AT_ONCE = 50;

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
  const [references, prices, ratios, pools] = await Promise.all([
    round.references(),
    statedPrices(round, assets),
    statedRatios(round, assets),
    round.pools(assets),
  ]);
  const last = await sharesBefore(round);
  const samples: PremiumSample[] = [];
  const aside: Rejection[] = [];
  const figures: Figure[] = [];
  for (const asset of assets) {
    const { assetKey } = asset;
    const stated = {
      prices: prices.get(assetKey) ?? [],
      ratios: ratios.get(assetKey) ?? [],
      pools: pools.get(assetKey) ?? [],
      reference: references.get(asset.underlying),
      last: last.get(assetKey),
    };
    const levels = levelsOf(round, assetKey, stated, aside);
    if (levels === null) continue;
    const sample = await sampleOf(round, assetKey, levels);
    samples.push(sample);
    if (sample.state != null) figures.push({ kind: "premium", subject: assetKey, state: sample.state });
    remember(round, last, sample);
  }
  await round.reject(aside);
  await noteFigures(round, figures);
  const { stored, rejected } = await recordPremiums(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
}

/** By asset key. Where they cannot be had, pools may still price their tokens. */
async function statedPrices(
  round: Round,
  assets: readonly MarketAsset[],
): Promise<ReadonlyMap<string, TokenPrice[]>> {
  if (!round.sources.pricesOf) return new Map();
  const rows = await accepted(round, "price", await round.sources.pricesOf(assets), (row) => ({
    subject: row.assetKey,
    source: row.source,
    price: row.tokenPriceUsd,
    at: row.publishedAt,
  }));
  const fresh = await withoutStale(round, "price", rows, (row) =>
    row.kind === "aggregator" ? [row.tokenPriceUsd, CADENCE_SECONDS.aggregator] : null,
  );
  return Map.groupBy(fresh, ({ assetKey }) => assetKey);
}

async function statedRatios(
  round: Round,
  assets: readonly MarketAsset[],
): Promise<ReadonlyMap<string, ShareRatio[]>> {
  if (!round.sources.ratiosOf) return new Map();
  const rows = await noted(round, await round.sources.ratiosOf(assets));
  noteStated(round, "ratio", rows);
  // Lists follow the stocks' prices, which stand still off hours.
  const isTrading = round.sessionAt(seconds(round)) === "regular";
  const cadence = isTrading ? CADENCE_SECONDS.ratio : LAST_PRICE_SECONDS;
  const fresh = await withoutStale(round, "ratio", rows, ({ fingerprint }) =>
    fingerprint === undefined ? null : [fingerprint, cadence],
  );
  return Map.groupBy(fresh, ({ assetKey }) => assetKey);
}

/**
 * Excludes what has not changed for longer than its source takes to change it, and gives the others that time.
 * @param changing what of a row changes, and for how long it may stay; null: nothing has to
 */
async function withoutStale<T extends TokenPrice | ShareRatio>(
  round: Round,
  kind: "price" | "ratio",
  rows: readonly T[],
  changing: (row: T) => readonly [figure: string, cadence: number] | null,
): Promise<T[]> {
  const now = seconds(round);
  const stale: Rejection[] = [];
  const fresh = rows.flatMap((row): T[] => {
    const watched = changing(row);
    if (watched === null) return [row];
    const { assetKey, source } = row;
    const since = round.memory.unchanged.since(`${kind}/${source}/${assetKey}`, watched[0], now);
    if (now - since <= watched[1]) return [{ ...row, publishedAt: row.publishedAt ?? since }];
    stale.push({ kind, subject: assetKey, reason: "stale", sample: row });
    return [];
  });
  await round.reject(stale);
  return fresh;
}

async function sharesBefore(round: Round): Promise<Map<string, LastShares>> {
  const { memory } = round;
  memory.shares ??= await lastShares(round.db, round.assets, seconds(round));
  return memory.shares;
}

interface Stated {
  readonly prices: readonly TokenPrice[];
  readonly ratios: readonly ShareRatio[];
  readonly pools: readonly PoolState[];
  readonly reference: Reference | undefined;
  readonly last: LastShares | undefined;
}

/** What a premium is made of. */
interface Levels {
  readonly price: Judged<AnyPrice>;
  readonly ratio: Judged<ShareRatio>;
  readonly reference: Reference | undefined;
}

/**
 * What the sources say of one token, its pools among them.
 * @param aside takes what does not count
 * @returns null where nobody states a price, or how many shares it is of
 */
function levelsOf(round: Round, assetKey: string, stated: Stated, aside: Rejection[]): Levels | null {
  const { reference, last } = stated;
  const exclude = (kind: string, list: readonly Aside<unknown>[]) =>
    aside.push(...excluded(kind, assetKey, list));
  const referenceUsd = reference?.figure ?? null;
  let ratio = chooseRatio(stated.ratios);
  if (ratio === null) return null;
  const pool = poolPrice(stated, ratio.figure, referenceUsd);
  exclude("pool", pool.aside);
  let price = choosePrice([...stated.prices, ...pool.rows], round.sessionAt(seconds(round)));
  if (price === null) return null;
  exclude("ratio", asideOf(ratio));
  exclude("price", asideOf(price));
  if (!ratioFollows(ratio, price.figure, referenceUsd, last)) {
    exclude("ratio", [
      { row: { ...ratio.agreed[0]?.row, last: last?.sharesPerToken }, reason: "share_ratio_jump" },
    ]);
    ratio = turnedDown(ratio);
  }
  if (ratio.figure !== null && !isNearStock(price, ratio.figure, referenceUsd)) {
    exclude("price", [{ row: price.agreed[0]?.row, reason: "far_from_reference" }]);
    price = turnedDown(price);
  }
  return { price, ratio, reference };
}

/** The pool that prices the token is one witness: its index's. */
function poolPrice({ pools, prices }: Stated, shares: string | null, referenceUsd: string | null) {
  const others = choosePrice(prices, "regular");
  const stockUsd =
    referenceUsd === null || shares === null ? null : new SeriesDecimal(referenceUsd).times(shares).toFixed();
  const { pool, aside } = pricingPool(pools, others?.figure ?? prices[0]?.tokenPriceUsd ?? null, stockUsd);
  const rows: AnyPrice[] =
    pool?.priceUsd == null
      ? []
      : [
          {
            assetKey: pool.assetKey,
            source: pool.source,
            origin: pool.source,
            kind: "pool",
            tokenPriceUsd: pool.priceUsd,
            publishedAt: pool.unchangedSince ?? null,
          },
        ];
  return { rows, aside };
}

async function sampleOf(round: Round, assetKey: string, levels: Levels): Promise<PremiumSample> {
  const { price, ratio, reference } = levels;
  const at = seconds(round);
  const impact = (await recentImpacts(round)).get(assetKey);
  const isFixed = ratio.agreed.some(({ row }) => row.fixed === true);
  const parts = isFixed ? [price, reference] : [price, ratio, reference];
  const counts = parts.flatMap((level) => level?.agreed.length ?? []);
  const conversions = price.agreed.flatMap(({ row }) => row.converted ?? []);
  return {
    assetKey,
    sampledAt: at,
    source: namesOf(price) ?? "",
    session: round.sessionAt(at),
    tokenPriceUsd: price.figure,
    sharesPerToken: ratio.figure,
    referencePriceUsd: reference?.figure ?? null,
    referenceSource: reference?.figure == null ? null : namesOf(reference),
    referenceAgeSeconds: ageOf(reference, at),
    witnesses: Math.min(...counts) || null,
    // Without a reference there is no premium to agree on.
    state:
      reference === undefined
        ? null
        : worstOf([...parts.flatMap((level) => level?.state ?? []), ...conversions]),
    spreadBps: spreadOf(parts),
    halted: round.memory.halted?.has(assetKey) === true,
    impact1kBps:
      impact !== undefined && Math.abs(at - impact.at) <= IMPACT_COUNTS_SECONDS ? impact.impact1kBps : null,
    platformFeeBps: round.platformFeeBps ?? PLATFORM_FEE_BPS,
    inputs: [
      ...inputsOf("price", price, at),
      ...inputsOf("ratio", ratio, at),
      ...inputsOf("reference", reference, at),
    ],
  };
}

/** What later rounds are compared with: of a share ratio that changes in each of them, the value before the first change. */
function remember({ memory }: Round, last: Map<string, LastShares>, sample: PremiumSample): void {
  const { assetKey, tokenPriceUsd, sharesPerToken, referencePriceUsd, sampledAt } = sample;
  if (tokenPriceUsd === null) return;
  memory.prices.set(assetKey, { at: sampledAt, tokenPriceUsd });
  if (sharesPerToken === null) return;
  const before = memory.ratios.get(assetKey) ?? sharesPerToken;
  memory.ratios.set(assetKey, sharesPerToken);
  if (!last.has(assetKey) || differenceBps(sharesPerToken, before).lte(SHARE_RATIO_BOUND_BPS))
    last.set(assetKey, { sharesPerToken, tokenPriceUsd, referenceUsd: referencePriceUsd });
}
