/** The series of the data API as text: premiums of a token, basis of a stock, totals of the market. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import {
  basisPoints,
  basisVenues,
  dailyTotals,
  liveTotals,
  type MarketAsset,
  premiumPoints,
} from "../../market/queries.ts";
import {
  basisHistory,
  dateTime,
  daySeries,
  number,
  object,
  premiumHistory,
  publicPremium,
  TOTALS_STATE,
} from "./json.ts";
import { hoursBack } from "./windows.ts";

export interface SeriesDeps {
  readonly db: Database;
  now(): UnixMs;
}

const DAY = 86_400;

export const secondsOf = ({ now }: Pick<SeriesDeps, "now">): number => Math.floor(now() / 1000);

/** What a series of a token is of. */
export interface TokenSeries {
  /** As it was asked for. */
  readonly symbol: string;
  /** undefined: nobody lists it. */
  readonly asset: MarketAsset | undefined;
  readonly days: number;
}

/** Members that an answer has beside those of every answer, with their JSON. */
export type More = readonly (readonly [name: string, json: string])[];

/** The premium of a token, as those with a key see it. */
export function premiumText(
  attribution: string,
  { symbol, asset, days }: TokenSeries,
  points = "[]",
  more: More = [],
): string {
  return object([
    ["attribution", JSON.stringify(attribution)],
    ["symbol", JSON.stringify(symbol)],
    ["days", String(days)],
    ["points", points],
    ["chain", JSON.stringify(asset?.chain ?? null)],
    ["address", JSON.stringify(asset?.address ?? null)],
    ...more,
  ]);
}

/** The premium of a token, as everybody sees it. */
export function publicPremiumText(
  attribution: string,
  { symbol, asset, days }: TokenSeries,
  points = "[]",
  more: More = [],
): string {
  return object([
    ["symbol", JSON.stringify(symbol)],
    ["days", String(days)],
    ["points", points],
    ["chain", JSON.stringify(asset?.chain ?? null)],
    ["address", JSON.stringify(asset?.address ?? null)],
    ["attribution", JSON.stringify(attribution)],
    ...more,
  ]);
}

const storedPremiums = (deps: SeriesDeps, assetKey: string, days: number) =>
  premiumPoints(deps.db, assetKey, hoursBack(days, secondsOf(deps)));

/** @throws DatabaseUnavailable */
export async function premiumPointsText(deps: SeriesDeps, assetKey: string, days: number): Promise<string> {
  return premiumHistory(await storedPremiums(deps, assetKey, days));
}

/** @throws DatabaseUnavailable */
export async function publicPremiumPointsText(
  deps: SeriesDeps,
  assetKey: string,
  days: number,
): Promise<string> {
  return publicPremium(await storedPremiums(deps, assetKey, days));
}

/** What a series of a stock's perpetual is of. */
export interface BasisSeries {
  readonly underlying: string;
  readonly days: number;
  /** undefined: the first that has a series of the stock. */
  readonly venue: string | undefined;
}

/** A basis of which nothing is known. */
export function emptyBasisText(attribution: string, { underlying, days, venue }: BasisSeries): string {
  return basisText(attribution, { underlying, days, venue }, "[]", []);
}

export function basisText(
  attribution: string,
  { underlying, days, venue }: BasisSeries,
  points: string,
  venues: readonly string[],
  more: More = [],
): string {
  return object([
    ["underlying", JSON.stringify(underlying)],
    ["days", String(days)],
    ["points", points],
    ["venue", JSON.stringify(venue ?? null)],
    ["venues", JSON.stringify(venues)],
    ["attribution", JSON.stringify(attribution)],
    ...more,
  ]);
}

/** @throws DatabaseUnavailable */
export async function storedBasisText(
  deps: SeriesDeps,
  attribution: string,
  { underlying, days, venue: wanted }: BasisSeries,
): Promise<string> {
  const venues = await basisVenues(deps.db, underlying);
  const venue = wanted ?? venues[0];
  // What no venue has is not asked for.
  const points =
    venue !== undefined && venues.includes(venue)
      ? await basisPoints(deps.db, underlying, hoursBack(days, secondsOf(deps)), venue)
      : [];
  return basisText(attribution, { underlying, days, venue }, basisHistory(points), venues);
}

/** Totals of the market of which nothing is known. */
export function emptyOverviewText(attribution: string, days: number, more: More = []): string {
  return overviewText(attribution, days, "[]", "null", more);
}

export function overviewText(
  attribution: string,
  days: number,
  series: string,
  live: string,
  more: More = [],
): string {
  return object([
    ["days", String(days)],
    ["series", series],
    ["live", live],
    ["attribution", JSON.stringify(attribution)],
    ...more,
  ]);
}

/** @throws DatabaseUnavailable @param assetCount how many tokens are listed */
export async function storedOverviewText(
  deps: SeriesDeps,
  attribution: string,
  { days, assetCount }: { days: number; assetCount: number },
): Promise<string> {
  const at = secondsOf(deps);
  const [totals, live] = await Promise.all([
    // The newest snapshot is that of the day which ended last.
    dailyTotals(deps.db, dayOf(at - days * DAY), dayOf(at - DAY)),
    liveTotalsText(deps, assetCount),
  ]);
  return overviewText(attribution, days, daySeries(totals), live);
}

/** @throws DatabaseUnavailable */
export async function liveTotalsText(deps: SeriesDeps, assetCount: number): Promise<string> {
  const live = await liveTotals(deps.db, secondsOf(deps));
  return object([
    ["vol24Usd", number(live.volume24hUsd)],
    ["liquidityUsd", number(live.liquidityUsd)],
    ["assetCount", String(assetCount)],
    ["tokensWithDexData", String(live.tokensWithDexData)],
    ["expected", String(live.expected)],
    ["complete", String(live.tokensWithDexData >= live.expected)],
    ["state", JSON.stringify(TOTALS_STATE)],
  ]);
}

/** YYYY-MM-DD of a unix second. */
export function dayOf(seconds: number): string {
  return dateTime(seconds).slice(0, 10);
}
