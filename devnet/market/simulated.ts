/**
 * The parts of the local market that no chain has: a perpetual, trading volume, and 90 days of history that
 * end in today's figures. All of it says `simulated`, and takes the recording functions of live samples.
 */
import { Decimal } from "decimal.js";
import { LIQUIDITY_WINDOW_SECONDS } from "../../attestor/evidence/liquidity.ts";
import { decimalText, type Exact, exactOf, powerOfTen, rounded } from "../../attestor/values/fraction.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { type BasisSample, basisSeries, recordBases } from "../../market/series/basis.ts";
import { recordActions } from "../../market/series/corporateActions.ts";
import { canonicalBps, type ImpactSample, recordImpacts } from "../../market/series/impacts.ts";
import { writeScores } from "../../market/series/liquidity.ts";
import { type PremiumSample, premiumSeries, recordPremiums } from "../../market/series/premium.ts";
import { dayOf, recordVolumes, snapshotDay, type VolumeSample } from "../../market/series/totals.ts";
import { SeriesDecimal } from "../../market/series/units.ts";
import type { PerpState } from "../../market/statement.ts";
import { type RandomAt, ripple, wave } from "./noise.ts";

export const SIMULATED = "simulated";
const HOUR_SECONDS = 3_600;
const HISTORY_HOURS = 90 * 24;

const DAY_SECONDS = 86_400;
const HISTORY_SECONDS = HISTORY_HOURS * HOUR_SECONDS;
/** When in the hour history has its samples. */
const SAMPLED_IN_HOUR = [600, 1_800, 3_000];

/** How far prices of the past stand from today's at most, as a part. */
const PRICE_SWING = 0.12;
const PREMIUM_SWING_BPS = 25;
const BASIS_SWING_BPS = 20;
/** Hourly, as a part: about 22 percent in a year. */
const FUNDING_SWING = 0.000025;

/** Tokens that stand for more than a share reinvested a dividend so long ago, which made them more by this factor. */
const DIVIDEND = { days: 45, factor: "1.0018" };
/** Shares per token have as many decimals on chain. */
const SHARES_PLACES = 18;

/** A perpetual beside a stock's price in US dollars, at a unix second; its funding is hourly. */
export function simulatedPerp(
  randomAt: RandomAt,
  underlying: string,
): (spotUsd: string, seconds: number) => PerpState {
  const lean = wave(randomAt, `perp/${underlying}`);
  const quick = ripple(randomAt, `perp/${underlying}`);
  return (spotUsd, seconds) => {
    const leaning = lean(seconds);
    return {
      of: "perp",
      subject: underlying,
      source: SIMULATED,
      origin: SIMULATED,
      market: underlying,
      figure: decimalText(
        shifted(exactOf(spotUsd), BASIS_SWING_BPS * (0.8 * leaning + 0.2 * quick(seconds))),
      ),
      oracleUsd: null,
      // The side that leans pays: longs when positive.
      fundingRate: decimal(FUNDING_SWING * leaning, 10),
      fundingIntervalHours: 1,
      at: seconds,
      rawHash: null,
    };
  };
}

/** What a pool's liquidity turns over in 24 hours, US dollars. @param seconds unix seconds */
export function simulatedVolume(
  randomAt: RandomAt,
  assetKey: string,
  liquidityUsd: string,
  seconds: number,
): string {
  const turnover = 0.45 + 0.35 * wave(randomAt, `volume/${assetKey}`)(seconds);
  return new SeriesDecimal(liquidityUsd).times(decimal(turnover, 6)).toDecimalPlaces(2).toFixed();
}

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
export async function backfillMarket(deps: MarketBackfill): Promise<string[]> {
  const filled: string[] = [];
  for (const today of deps.today) {
    const { assetKey } = today.asset;
    if (!(await hasImpacts(deps, assetKey))) {
      await recordImpacts(deps.db, impactHistory(deps, today), deps.now);
      await writeScores(deps.db, [assetKey], deps.now);
      filled.push(assetKey);
    }
    if (!(await hasHours(deps, premiumSeries(assetKey)))) {
      await recordPremiums(deps.db, premiumHistory(deps, today), deps.now);
      await recordDividend(deps, today);
      if (!filled.includes(assetKey)) filled.push(assetKey);
    }
  }
  for (const [underlying, today] of new Map(deps.today.map((each) => [each.asset.underlying, each])))
    if (!(await hasHours(deps, basisSeries(SIMULATED, underlying)))) {
      await recordBases(deps.db, basisHistory(deps, today), deps.now);
      filled.push(underlying);
    }
  if (!(await hasTotals(deps))) {
    await fillTotals(deps);
    filled.push("totals");
  }
  return filled;
}

/** Unix seconds. */
const dividendAt = (now: number) => now - (now % DAY_SECONDS) - DIVIDEND.days * DAY_SECONDS;

/** Shares per token before the dividend; null: the token never had one. */
function sharesBefore({ sharesPerToken }: MarketToday): string | null {
  const shares = new SeriesDecimal(sharesPerToken);
  return shares.eq(1) ? null : shares.dividedBy(DIVIDEND.factor).toDecimalPlaces(SHARES_PLACES).toFixed();
}

async function recordDividend({ db, now }: MarketBackfill, today: MarketToday): Promise<void> {
  const { assetKey } = today.asset;
  const [before, after] = [sharesBefore(today), today.sharesPerToken];
  if (before === null) return;
  const effectiveAt = dividendAt(now);
  const announced = { assetKey, before, after, effectiveAt, source: SIMULATED, rawHash: null };
  await recordActions(db, [{ ...announced, kind: "dividend" }], now);
}

const hasRow = async (query: { executeTakeFirst(): Promise<object | undefined> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined;

const hasImpacts = ({ db, now }: MarketBackfill, assetKey: string) =>
  hasRow(
    db
      .selectFrom("impact_samples")
      .select("sampled_at")
      .where("asset_key", "=", assetKey)
      .where("sampled_at", "<=", now - LIQUIDITY_WINDOW_SECONDS)
      .limit(1),
  );

const hasHours = ({ db, now }: MarketBackfill, series: string) =>
  hasRow(
    db
      .selectFrom("hour_buckets")
      .select("hour")
      .where("series_id", "=", (query) => query.selectFrom("series").select("id").where("name", "=", series))
      .where("hour", "<=", Math.floor((now - LIQUIDITY_WINDOW_SECONDS) / HOUR_SECONDS))
      .limit(1),
  );

const hasTotals = ({ db, now }: MarketBackfill) =>
  hasRow(
    db
      .selectFrom("daily_totals")
      .select("day")
      .where("day", "<=", dayOf(now - LIQUIDITY_WINDOW_SECONDS))
      .limit(1),
  );

/** The moments of history: some in each of its hours, up to now. */
function momentsOf(now: number): number[] {
  const firstHour = Math.floor((now - HISTORY_SECONDS) / HOUR_SECONDS) * HOUR_SECONDS + HOUR_SECONDS;
  const moments: number[] = [];
  for (let hour = firstHour; hour <= now; hour += HOUR_SECONDS)
    moments.push(...SAMPLED_IN_HOUR.map((second) => hour + second).filter((moment) => moment < now));
  return moments;
}

function impactHistory(deps: MarketBackfill, today: MarketToday): ImpactSample[] {
  const impactsAt = pastImpacts(deps, today);
  const lastHour = Math.floor(deps.now / HOUR_SECONDS) * HOUR_SECONDS;
  return Array.from({ length: HISTORY_HOURS }, (_, hoursAgo) => {
    const sampledAt = lastHour - hoursAgo * HOUR_SECONDS;
    return {
      assetKey: today.asset.assetKey,
      sampledAt,
      source: SIMULATED,
      session: deps.sessionAt(sampledAt),
      ...impactsAt(sampledAt),
    };
  });
}

/** Today's impacts at another depth: mostly a deeper one, so that a week's grade is no worse than today's on any date. */
function pastImpacts({ randomAt }: MarketBackfill, today: MarketToday) {
  const name = `depth/${today.asset.assetKey}`;
  const [swing, quick] = [wave(randomAt, name), ripple(randomAt, name)];
  return (seconds: number) => {
    const factor = new Decimal(decimal(0.8 + 0.2 * swing(seconds) + 0.04 * quick(seconds), 3));
    return {
      impact1kBps: scaled(today.impact1kBps, factor),
      impact10kBps: scaled(today.impact10kBps, factor),
    };
  };
}

function premiumHistory(deps: MarketBackfill, today: MarketToday): PremiumSample[] {
  const { assetKey, underlying } = today.asset;
  const share = new SeriesDecimal(today.tokenPriceUsd).dividedBy(today.sharesPerToken);
  const lastPremium = share.dividedBy(today.referencePriceUsd).minus(1).times(10_000).toNumber();
  const lean = ripple(deps.randomAt, `premium/${assetKey}`);
  const leanNow = lean(deps.now);
  const referenceAt = pastPrices(deps, underlying, today.referencePriceUsd);
  const pastImpactsAt = pastImpacts(deps, today);
  const impactAt = ofHour((hour) => pastImpactsAt(hour).impact1kBps);
  const shares = { until: dividendAt(deps.now), before: sharesBefore(today) ?? today.sharesPerToken };
  return momentsOf(deps.now).map((sampledAt) => {
    const reference = referenceAt(sampledAt);
    const premium = lastPremium + PREMIUM_SWING_BPS * (lean(sampledAt) - leanNow);
    const sharesPerToken = sampledAt < shares.until ? shares.before : today.sharesPerToken;
    return {
      assetKey,
      sampledAt,
      source: SIMULATED,
      session: deps.sessionAt(sampledAt),
      state: "single",
      tokenPriceUsd: decimalText(priceTimes(shifted(reference, premium), exactOf(sharesPerToken))),
      sharesPerToken,
      referencePriceUsd: decimalText(reference),
      referenceSource: today.referenceSource,
      impact1kBps: impactAt(sampledAt),
      platformFeeBps: deps.platformFeeBps,
    };
  });
}

function basisHistory(deps: MarketBackfill, today: MarketToday): BasisSample[] {
  const { underlying } = today.asset;
  const spotAt = pastPrices(deps, underlying, today.referencePriceUsd);
  const perpAt = simulatedPerp(deps.randomAt, underlying);
  return momentsOf(deps.now).map((sampledAt) => {
    const spot = decimalText(spotAt(sampledAt));
    const perp = perpAt(spot, sampledAt);
    return {
      underlying,
      sampledAt,
      source: SIMULATED,
      session: deps.sessionAt(sampledAt),
      state: "single",
      fundingState: "single",
      perpMarkUsd: perp.figure,
      spotUsd: spot,
      spotSource: today.referenceSource,
      fundingRate: perp.fundingRate,
      fundingIntervalHours: perp.fundingIntervalHours,
    };
  });
}

/** The last five minutes of each day that has ended, and the totals at its midnight. */
async function fillTotals(deps: MarketBackfill): Promise<void> {
  const midnight = Math.floor(deps.now / DAY_SECONDS) * DAY_SECONDS;
  const ends = Array.from({ length: HISTORY_HOURS / 24 }, (_, daysAgo) => midnight - daysAgo * DAY_SECONDS);
  const samples = ends.flatMap((end) => deps.today.map((today) => volumeSample(deps, today, end - 300)));
  await recordVolumes(deps.db, samples, deps.now);
  const assets = deps.today.map(({ asset }) => asset);
  for (const end of ends.reverse()) await snapshotDay(deps.db, assets, dayOf(end - 1));
}

function volumeSample(deps: MarketBackfill, today: MarketToday, sampledAt: number): VolumeSample {
  const { assetKey } = today.asset;
  const depth = 1 + 0.3 * wave(deps.randomAt, `depth/${assetKey}`)(sampledAt);
  const liquidityUsd = new SeriesDecimal(today.liquidityUsd)
    .dividedBy(decimal(depth, 6))
    .toDecimalPlaces(2)
    .toFixed();
  return {
    assetKey,
    sampledAt,
    source: SIMULATED,
    session: deps.sessionAt(sampledAt),
    volume24hUsd: simulatedVolume(deps.randomAt, assetKey, liquidityUsd, sampledAt),
    liquidityUsd,
  };
}

/** A stock's prices of the past, on a curve that ends in today's. */
function pastPrices({ randomAt, now }: MarketBackfill, underlying: string, todayUsd: string) {
  const swing = wave(randomAt, `stock/${underlying}`);
  const swingNow = swing(now);
  const today = exactOf(todayUsd);
  return (seconds: number) => shifted(today, 10_000 * PRICE_SWING * (swing(seconds) - swingNow));
}

/** As measured at the start of the hour. @param measure of moments in their order: one hour is kept */
function ofHour<T>(measure: (seconds: number) => T): (seconds: number) => T {
  let kept: { readonly hour: number; readonly found: T } | undefined;
  return (seconds) => {
    const hour = seconds - (seconds % HOUR_SECONDS);
    if (kept?.hour !== hour) kept = { hour, found: measure(hour) };
    return kept.found;
  };
}

/** US dollars have as many decimals. */
const PRICE_PLACES = 8;

function priceTimes(price: Exact, factor: Exact): Exact {
  const digits = price.digits * factor.digits * powerOfTen(PRICE_PLACES);
  return { digits: rounded(digits, powerOfTen(price.places + factor.places)), places: PRICE_PLACES };
}

/** A price so many basis points away. */
function shifted(price: Exact, bps: number): Exact {
  const { digits, places } = exactOf(decimal(bps, 6));
  // A basis point is a ten-thousandth.
  const factor = { digits: digits + powerOfTen(places + 4), places: places + 4 };
  return priceTimes(price, factor);
}

/** A drawn number as decimal text: from here on the arithmetic is exact. */
function decimal(drawn: number, places: number): string {
  return drawn.toFixed(places);
}

function scaled(impact: string | null, factor: Decimal): string | null {
  return impact === null ? null : canonicalBps(factor.times(impact));
}
