/** Premium of each token against its stock. */
import { CADENCE_SECONDS, LAST_PRICE_SECONDS, SHARE_RATIO_BOUND_BPS } from "../bounds.ts";
import { differenceBps } from "../level.ts";
import type { MarketAsset } from "../queries.ts";
import { pricedInUsd } from "../rules/dollar.ts";
import { fresh } from "../rules/fresh.ts";
import { plausible } from "../rules/plausible.ts";
import { premiumSample } from "../rules/premiums.ts";
import { chunksOf } from "../series/hours.ts";
import { type PremiumSample, recordPremiums } from "../series/premium.ts";
import type { Rejection } from "../series/rejected.ts";
import { type LastShares, lastShares } from "../series/shares.ts";
import type { ShareRatio, TokenPrice } from "../statement.ts";
import { noteStated } from "./exclusions.ts";
import { type Figure, noteFigures } from "./figures.ts";
import { IMPACT_COUNTS_SECONDS, recentImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import { NOTHING, type RecentImpact, type Round, type Step, seconds } from "./types.ts";

/** What trading platforms take of such a trade, basis points. */
export const PLATFORM_FEE_BPS = "10";

/** Tokens whose premiums are stored together, so that nobody waits for the last of them. */
export const TOKENS_AT_ONCE = 50;

export const collectPremiums: Step = async (round) => {
  const { market, memory } = round;
  if (!market.states("price") && !market.states("pool")) return NOTHING;
  memory.announced = [];
  const [, assets] = await Promise.all([round.references(), inOrder(round)]);
  const priced = assets.filter((asset) => market.canBePriced?.(asset) !== false);
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
  const impacts = await recentImpacts(round);
  const at = seconds(round);
  const platformFeeBps = round.platformFeeBps ?? PLATFORM_FEE_BPS;
  const context = { at, session: round.sessionAt(at), platformFeeBps };
  const samples: PremiumSample[] = [];
  const rejections: Rejection[] = [];
  const figures: Figure[] = [];
  for (const { assetKey, underlying } of assets) {
    const stated = {
      assetKey,
      prices: prices.get(assetKey) ?? [],
      ratios: ratios.get(assetKey) ?? [],
      pools: pools.get(assetKey) ?? [],
      reference: references.get(underlying),
      last: last.get(assetKey),
      isHalted: round.memory.halted?.has(assetKey) === true,
      impact1kBps: countingImpact(impacts.get(assetKey), at),
    };
    const judged = premiumSample(stated, context);
    rejections.push(...judged.rejections);
    const { sample } = judged;
    if (sample === null) continue;
    samples.push(sample);
    if (sample.state != null) figures.push({ kind: "premium", subject: assetKey, state: sample.state });
    remember(round, last, sample);
  }
  await round.reject(rejections);
  await noteFigures(round, figures);
  const { stored, rejected } = await recordPremiums(round.db, samples, at);
  round.countRejected(rejected.length);
  return stored;
}

const countingImpact = (impact: RecentImpact | undefined, at: number): string | null =>
  impact !== undefined && Math.abs(at - impact.at) <= IMPACT_COUNTS_SECONDS ? impact.impact1kBps : null;

/** By asset key, in US dollars. Where they cannot be had, pools may still price their tokens. */
async function statedPrices(
  round: Round,
  assets: readonly MarketAsset[],
): Promise<ReadonlyMap<string, TokenPrice[]>> {
  const { judge, unchanged } = round.memory;
  const stated = await round.ask("price", assets);
  const dollar = stated.some(({ paidIn }) => paidIn === "dollar") ? await round.dollar() : null;
  const prices = stated.flatMap((price) => pricedInUsd(price, dollar));
  noteStated(round, prices);
  const now = seconds(round);
  const sound = await round.kept(plausible(prices, judge, now));
  const running = await round.kept(
    fresh(sound, unchanged, now, ({ by, figure }) =>
      by === "aggregator" ? { figure, seconds: CADENCE_SECONDS.aggregator } : null,
    ),
  );
  return Map.groupBy(running, ({ subject }) => subject);
}

async function statedRatios(
  round: Round,
  assets: readonly MarketAsset[],
): Promise<ReadonlyMap<string, ShareRatio[]>> {
  const { memory } = round;
  const stated = await round.ask("ratio", assets);
  noteStated(round, stated);
  memory.announced = [...memory.announced, ...stated.filter(({ change }) => change !== null)];
  const now = seconds(round);
  // Lists follow the stocks' prices, which stand still off hours.
  const cadence = round.sessionAt(now) === "regular" ? CADENCE_SECONDS.ratio : LAST_PRICE_SECONDS;
  const ratios = await round.kept(
    fresh(stated, memory.unchanged, now, ({ fingerprint }) =>
      fingerprint === undefined ? null : { figure: fingerprint, seconds: cadence },
    ),
  );
  return Map.groupBy(ratios, ({ subject }) => subject);
}

async function sharesBefore({ memory, db, assets, now }: Round): Promise<Map<string, LastShares>> {
  memory.shares ??= await lastShares(db, assets, seconds({ now }));
  return memory.shares;
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
