/** 90 days of history that end in today's figures, so that a newcomer has grades, charts and totals at once. */
import { LIQUIDITY_WINDOW_SECONDS } from "../../attestor/evidence/liquidity.ts";
import type { Database } from "../../database/open.ts";
import { basisPoints, dailyTotals, type MarketAsset, premiumPoints } from "../../market/queries.ts";
import { type BasisSample, recordBases } from "../../market/series/basis.ts";
import { type Announcement, recordActions } from "../../market/series/corporateActions.ts";
import { type ImpactSample, recordImpacts } from "../../market/series/impacts.ts";
import { writeScores } from "../../market/series/liquidity.ts";
import { type PremiumSample, recordPremiums } from "../../market/series/premium.ts";
import { dayOf, recordVolumes, snapshotDay, type VolumeSample } from "../../market/series/totals.ts";
import { type RandomAt, ripple, wave } from "./noise.ts";
import {
  decimalText,
  priceFactor,
  SIMULATED,
  shifted,
  simulatedPerp,
  simulatedTurnover,
  usdText,
} from "./simulated.ts";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
const HISTORY_DAYS = 90;
const HISTORY_HOURS = HISTORY_DAYS * 24;
/** When in the hour history has its samples. */
const SAMPLED_IN_HOUR = [600, 1_800, 3_000];
const PREMIUM_SWING_BPS = 25;

/** Tokens that stand for more than a share reinvested a dividend so long ago, which made them more by this factor. */
const DIVIDEND = { days: 45, factor: 1.0018 };
/** Shares per token have as many decimals on chain; a number holds no more of them. */
const SHARES_PLACES = 15;

/** The current state of the chain; history ends in it. */
export interface MarketToday {
  readonly asset: MarketAsset;
  readonly tokenPriceUsd: string;
  readonly sharesPerToken: string;
  readonly referencePriceUsd: string;
  readonly referenceSource: string;
  readonly impact1kBps: string | null;
  readonly impact10kBps: string | null;
  readonly liquidityUsd: string;
}

export interface MarketBackfill {
  readonly db: Database;
  readonly today: readonly MarketToday[];
  /** Unix seconds. */
  readonly now: number;
  readonly randomAt: RandomAt;
  sessionAt(seconds: number): string;
  readonly platformFeeBps: string;
}

/**
 * Records 90 days of every series that has no history yet. Fresh samples are no history: the collector may
 * have been faster.
 * @returns the names of what was filled: asset keys, tickers, and `totals`
 */
export async function backfillMarket(backfill: MarketBackfill): Promise<string[]> {
  const { db, now } = backfill;
  const filled: string[] = [];
  for (const today of backfill.today) {
    const { assetKey } = today.asset;
    if ((await premiumPoints(db, assetKey, weekBefore(now))).length > 0) continue;
    await recordImpacts(db, impactHistory(backfill, today), now);
    await writeScores(db, [assetKey], now);
    await recordDividend(backfill, today);
    // Last, since it is what tells that an asset has its history.
    await recordPremiums(db, premiumHistory(backfill, today), now);
    filled.push(assetKey);
  }
  for (const [underlying, today] of new Map(backfill.today.map((each) => [each.asset.underlying, each]))) {
    if ((await basisPoints(db, underlying, weekBefore(now), SIMULATED)).length > 0) continue;
    await recordBases(db, basisHistory(backfill, today), now);
    filled.push(underlying);
  }
  const { from, to } = weekBefore(now);
  if ((await dailyTotals(db, dayOf(from), dayOf(to))).length === 0) {
    await fillTotals(backfill);
    filled.push("totals");
  }
  return filled;
}

/** The week before the one that grades liquidity: only history reaches there. */
const weekBefore = (now: number) => ({
  from: now - 2 * LIQUIDITY_WINDOW_SECONDS,
  to: now - LIQUIDITY_WINDOW_SECONDS,
});

/** The moments of history: some in each of its hours, up to now. */
function momentsOf(now: number): number[] {
  const firstHour = (Math.floor(now / HOUR_SECONDS) - HISTORY_HOURS + 1) * HOUR_SECONDS;
  const moments: number[] = [];
  for (let hour = firstHour; hour <= now; hour += HOUR_SECONDS)
    moments.push(...SAMPLED_IN_HOUR.map((second) => hour + second).filter((moment) => moment < now));
  return moments;
}

function impactHistory(backfill: MarketBackfill, today: MarketToday): ImpactSample[] {
  const impactsAt = pastImpacts(backfill, today);
  const lastHour = Math.floor(backfill.now / HOUR_SECONDS) * HOUR_SECONDS;
  return Array.from({ length: HISTORY_HOURS }, (_, hoursAgo) => {
    const sampledAt = lastHour - hoursAgo * HOUR_SECONDS;
    return {
      assetKey: today.asset.assetKey,
      sampledAt,
      source: SIMULATED,
      session: backfill.sessionAt(sampledAt),
      ...impactsAt(sampledAt),
    };
  });
}

/** Today's impacts at another depth: mostly a deeper one, so that a week's grade is no worse than today's on any date. */
function pastImpacts({ randomAt }: MarketBackfill, { asset, impact1kBps, impact10kBps }: MarketToday) {
  const name = `depth/${asset.assetKey}`;
  const [swing, quick] = [wave(randomAt, name), ripple(randomAt, name)];
  const scaled = (impact: string | null, factor: number) =>
    impact === null ? null : decimalText(Number(impact) * factor, 4);
  return (seconds: number) => {
    const factor = 0.8 + 0.2 * swing(seconds) + 0.04 * quick(seconds);
    return { impact1kBps: scaled(impact1kBps, factor), impact10kBps: scaled(impact10kBps, factor) };
  };
}

function premiumHistory(backfill: MarketBackfill, today: MarketToday): PremiumSample[] {
  const { now, randomAt } = backfill;
  const { assetKey } = today.asset;
  const shareUsd = Number(today.tokenPriceUsd) / Number(today.sharesPerToken);
  const lastPremiumBps = (shareUsd / Number(today.referencePriceUsd) - 1) * 10_000;
  const lean = ripple(randomAt, `premium/${assetKey}`);
  const leanNow = lean(now);
  const referenceAt = pastPrices(backfill, today);
  const impactsAt = pastImpacts(backfill, today);
  const dividend = dividendOf(now, today);
  return momentsOf(now).map((sampledAt) => {
    const reference = referenceAt(sampledAt);
    const premiumBps = lastPremiumBps + PREMIUM_SWING_BPS * (lean(sampledAt) - leanNow);
    const isBefore = dividend !== null && sampledAt < dividend.effectiveAt;
    const sharesPerToken = isBefore ? dividend.before : today.sharesPerToken;
    return {
      assetKey,
      sampledAt,
      source: SIMULATED,
      session: backfill.sessionAt(sampledAt),
      state: "single",
      tokenPriceUsd: usdText(shifted(reference, premiumBps) * Number(sharesPerToken)),
      sharesPerToken,
      referencePriceUsd: usdText(reference),
      referenceSource: today.referenceSource,
      // As measured at the start of the hour.
      impact1kBps: impactsAt(sampledAt - (sampledAt % HOUR_SECONDS)).impact1kBps,
      platformFeeBps: backfill.platformFeeBps,
    };
  });
}

/** A stock's prices of the past, on the curve that ends in today's. */
function pastPrices({ randomAt, now }: MarketBackfill, { asset, referencePriceUsd }: MarketToday) {
  const factor = priceFactor(randomAt, asset.underlying);
  const base = Number(referencePriceUsd) / factor(now);
  return (seconds: number) => base * factor(seconds);
}

/** When shares per token changed, and what they were before; null: the token never had a dividend. */
function dividendOf(now: number, { sharesPerToken }: MarketToday) {
  const shares = Number(sharesPerToken);
  if (shares === 1) return null;
  return {
    effectiveAt: now - (now % DAY_SECONDS) - DIVIDEND.days * DAY_SECONDS,
    before: decimalText(shares / DIVIDEND.factor, SHARES_PLACES),
  };
}

async function recordDividend({ db, now }: MarketBackfill, today: MarketToday): Promise<void> {
  const dividend = dividendOf(now, today);
  if (dividend === null) return;
  const action: Announcement = {
    assetKey: today.asset.assetKey,
    kind: "dividend",
    before: dividend.before,
    after: today.sharesPerToken,
    effectiveAt: dividend.effectiveAt,
    source: SIMULATED,
    rawHash: null,
  };
  await recordActions(db, [action], now);
}

function basisHistory(backfill: MarketBackfill, today: MarketToday): BasisSample[] {
  const { underlying } = today.asset;
  const spotAt = pastPrices(backfill, today);
  const perpAt = simulatedPerp(backfill.randomAt, underlying);
  return momentsOf(backfill.now).map((sampledAt) => {
    const spot = spotAt(sampledAt);
    const { markUsd, fundingRate, fundingIntervalHours } = perpAt(spot, sampledAt);
    return {
      underlying,
      sampledAt,
      source: SIMULATED,
      session: backfill.sessionAt(sampledAt),
      state: "single",
      fundingState: "single",
      perpMarkUsd: markUsd,
      spotUsd: usdText(spot),
      spotSource: today.referenceSource,
      fundingRate,
      fundingIntervalHours,
    };
  });
}

/** The last five minutes of each day that has ended, and the totals at its midnight. */
async function fillTotals(backfill: MarketBackfill): Promise<void> {
  const { db, now } = backfill;
  const midnight = Math.floor(now / DAY_SECONDS) * DAY_SECONDS;
  const ends = Array.from({ length: HISTORY_DAYS }, (_, daysAgo) => midnight - daysAgo * DAY_SECONDS);
  const samples = backfill.today.flatMap((today) => {
    const sampleAt = volumesOf(backfill, today);
    return ends.map((end) => sampleAt(end - 300));
  });
  await recordVolumes(db, samples, now);
  const assets = backfill.today.map(({ asset }) => asset);
  for (const end of ends.reverse()) await snapshotDay(db, assets, dayOf(end - 1));
}

function volumesOf({ randomAt, sessionAt }: MarketBackfill, { asset, liquidityUsd }: MarketToday) {
  const { assetKey } = asset;
  const depth = wave(randomAt, `depth/${assetKey}`);
  const turnover = simulatedTurnover(randomAt, assetKey);
  return (sampledAt: number): VolumeSample => {
    const liquidity = Number(liquidityUsd) / (1 + 0.3 * depth(sampledAt));
    return {
      assetKey,
      sampledAt,
      source: SIMULATED,
      session: sessionAt(sampledAt),
      volume24hUsd: decimalText(liquidity * turnover(sampledAt), 2),
      liquidityUsd: decimalText(liquidity, 2),
    };
  };
}
