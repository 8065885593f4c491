/** The series of the data API as text: premiums of a token, basis of a stock, totals of the market. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { liveTotals, type MarketAsset } from "../../market/queries.ts";
import { dateTime, number, object, TOTALS_STATE } from "./json.ts";

export interface SeriesDeps {
  readonly db: Database;
  now(): UnixMs;
}

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

/** What an answer in JSON says of its window, beside its rows: ISO 8601, the end exclusive. */
export const windowMembers = ({ from, to }: { readonly from: string; readonly to: string }): More => [
  ["from", JSON.stringify(from)],
  ["to", JSON.stringify(to)],
];

const tokenMembers = ({ symbol, asset, days }: TokenSeries, points: string): More => [
  ["symbol", JSON.stringify(symbol)],
  ["days", String(days)],
  ["points", points],
  ["chain", JSON.stringify(asset?.chain ?? null)],
  ["address", JSON.stringify(asset?.address ?? null)],
];

/** The premium of a token, as those with a key see it. */
export const premiumText = (attribution: string, series: TokenSeries, points: string, more: More): string =>
  object([["attribution", JSON.stringify(attribution)], ...tokenMembers(series, points), ...more]);

/** The premium of a token, as everybody sees it. */
export const publicPremiumText = (
  attribution: string,
  series: TokenSeries,
  points: string,
  more: More,
): string => object([...tokenMembers(series, points), ["attribution", JSON.stringify(attribution)], ...more]);

/** What a series of a stock's perpetual is of. */
export interface BasisSeries {
  readonly underlying: string;
  readonly days: number;
  /** undefined: the first that has a series of the stock. */
  readonly venue: string | undefined;
}

export function basisText(
  attribution: string,
  { underlying, days, venue }: BasisSeries,
  points: string,
  venues: readonly string[],
  more: More,
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

export function overviewText(
  attribution: string,
  days: number,
  series: string,
  live: string,
  more: More,
): string {
  return object([
    ["days", String(days)],
    ["series", series],
    ["live", live],
    ["attribution", JSON.stringify(attribution)],
    ...more,
  ]);
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
