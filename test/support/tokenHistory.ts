/** Ninety days of one token with everything that its page has to show: sessions, gaps, a split, grades. */
import { sessionAt } from "../../attestor/calendar.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { recordBases } from "../../market/series/basis.ts";
import { recordPremiums } from "../../market/series/premium.ts";
import { type TestApp, testApp } from "./http.ts";
import { PAGES_NOW } from "./pages.ts";
import { impactsAt, LEVEL } from "./samples.ts";

const HOUR = 3_600;
const DAY = 86_400;

export const AAPLX: MarketAsset = {
  assetKey: "eip155:56:0x9d275685dC284C8eB1C79f6ABA7a63Dc75ec890a",
  symbol: "AAPLx",
  underlying: "AAPL",
  nameEn: "Apple",
  nameCn: "苹果",
  issuer: "xstocks",
  chain: "bnb",
  address: "0x9d275685dC284C8eB1C79f6ABA7a63Dc75ec890a",
  decimals: 18,
  tags: ["technology"],
};

/** Days ago: a gap of nine hours, an hour alone between two gaps, and a split of two for one. */
const GAP_DAYS_AGO = 2;
const SPLIT_DAYS_AGO = 4;
const GAP_HOURS = 9;

/** Nights have one source, and a market that stands still. */
const ALONE = { state: "single", spreadBps: null, halted: true } as const;

/** Neither chance nor clock: the same figures every time. */
const wave = (seconds: number, days: number) => Math.sin((seconds / DAY / days) * 2 * Math.PI);

/**
 * Every hour of so many days, the running one included, but for a gap.
 * @param now unix seconds
 * @param source who measured the premium
 */
export async function recordHistory(
  db: Database,
  asset: MarketAsset,
  now: number,
  source = "pancakeswap",
  days = 90,
) {
  const thisHour = now - (now % HOUR);
  const hours = Array.from({ length: days * 24 }, (_, back) => thisHour - (days * 24 - 1 - back) * HOUR);
  const gapFrom = thisHour - GAP_DAYS_AGO * DAY;
  const inGap = (hour: number) =>
    hour >= gapFrom && hour < gapFrom + GAP_HOURS * HOUR && hour !== gapFrom + 5 * HOUR;
  const samples = hours
    .filter((hour) => !inGap(hour))
    .flatMap((hour) => [hour + 10, hour + 20].filter((at) => at <= now));
  const premiums = samples.map((at) => ({ ...premiumAt(asset, at, now), source }));
  const bases = samples.map((at) => basisAt(asset, at));
  const impacts = hours.map((hour) => impactAt(asset, hour, now));
  await recordPremiums(db, premiums, now);
  await recordBases(db, bases, now);
  await impactsAt(db, now, impacts);
}

function premiumAt({ assetKey }: MarketAsset, at: number, now: number) {
  const session = sessionAt(at).state;
  const split = at >= now - SPLIT_DAYS_AGO * DAY;
  const reference = 210 + 12 * wave(at, 31) + 2 * wave(at, 1.3);
  const bps = 14 * wave(at, 5.5) + (session === "closed" ? 22 : 6) * wave(at, 0.37) + (at % HOUR) / 6;
  const shares = split ? 2 : 1;
  return {
    assetKey,
    sampledAt: at,
    session,
    tokenPriceUsd: (reference * shares * (1 + bps / 10_000)).toFixed(8),
    sharesPerToken: String(shares),
    referencePriceUsd: reference.toFixed(6),
    referenceSource: session === "closed" ? "pyth-close" : "pyth",
    referenceAgeSeconds: session === "closed" ? 30_000 : 12,
    witnesses: 3,
    impact1kBps: "4.2",
    platformFeeBps: "5",
    ...LEVEL,
    ...(session === "closed" ? ALONE : {}),
  };
}

function basisAt({ underlying }: MarketAsset, at: number) {
  const spot = 210 + 12 * wave(at, 31);
  return {
    underlying,
    sampledAt: at,
    source: "hyperliquid",
    session: sessionAt(at).state,
    perpMarkUsd: (spot * (1 + (9 * wave(at, 3.1) + (at % HOUR) / 8) / 10_000)).toFixed(6),
    spotUsd: spot.toFixed(6),
    spotSource: "pyth",
    spotAgeSeconds: 8,
    witnesses: 2,
    fundingRate: (0.0000125 * (1 + wave(at, 9))).toFixed(10),
    fundingIntervalHours: 1,
    ...LEVEL,
    fundingState: "single" as const,
  };
}

function impactAt({ assetKey }: MarketAsset, at: number, now: number) {
  // From bad to good over the ninety days.
  const depth = 1 + ((now - at) / (90 * DAY)) * 14;
  const quick = 1 + 0.3 * wave(at, 0.6);
  return {
    assetKey,
    sampledAt: at,
    source: "pancakeswap",
    session: sessionAt(at).state,
    impact1kBps: (4 * depth * quick).toFixed(4),
    impact10kBps: (42 * depth * quick).toFixed(4),
  };
}

/** The data of a service whose one token is this one, at that time. */
export function tokenData(asset = AAPLX) {
  return { assets: [asset], simulated: false, now: () => PAGES_NOW * 1_000 };
}

/** A service of the suite's own with the ninety days of AAPLx. */
export const testTokenApp = (): TestApp =>
  testApp({
    seed: (db) => recordHistory(db, AAPLX, PAGES_NOW),
    data: tokenData(),
    settings: { addressLimitPerMinute: 10_000, keyLimitPerMinute: 10_000 },
  });
