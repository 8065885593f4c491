/** What a token's page tells of it over time, and its form for the page's charts (`web/series/block.ts` reads it). */
import type { Database } from "../../database/open.ts";
import {
  type BasisPoint,
  basisPoints,
  basisVenues,
  type MarketAsset,
  type PremiumPoint,
  premiumPoints,
  type Range,
} from "../../market/queries.ts";
import { array, number, object } from "../data/json.ts";
import { hoursBack } from "../data/windows.ts";

export interface TokenSeries {
  readonly asset: MarketAsset;
  readonly days: number;
  readonly range: Range;
  readonly premium: readonly PremiumPoint[];
  readonly basis: {
    /** null: no venue has the stock. */
    readonly venue: string | null;
    readonly points: readonly BasisPoint[];
  };
}

/**
 * What the public endpoints serve of these days, by the same queries.
 * @param now unix seconds
 * @throws DatabaseUnavailable
 */
export async function readTokenSeries(
  db: Database,
  { asset, days }: { readonly asset: MarketAsset; readonly days: number },
  now: number,
): Promise<TokenSeries> {
  const range = hoursBack(days, now);
  const { assetKey, underlying } = asset;
  const [premium, [venue = null]] = await Promise.all([
    premiumPoints(db, assetKey, range),
    basisVenues(db, underlying),
  ]);
  const basis = { venue, points: venue === null ? [] : await basisPoints(db, underlying, range, venue) };
  return { asset, days, range, premium, basis };
}

/** A premium has no state of its funding. */
type Origin = Pick<PremiumPoint, "source" | "session" | "referenceSource" | "state" | "halted"> &
  Partial<Pick<BasisPoint, "fundingState">>;

/** Origins are few and repeat: points name them by their place. */
function originPlaces() {
  const places = new Map<string, number>();
  return {
    texts: places,
    placeOf(given: Origin): string {
      const { source, session, referenceSource, state, halted, fundingState } = given;
      const text = JSON.stringify({
        source,
        session,
        reference: referenceSource,
        state,
        halted,
        funding: fundingState ?? null,
      });
      const place = places.get(text) ?? places.size;
      places.set(text, place);
      return String(place);
    },
  };
}

/** JSON in columns, figures digit by digit: a fourth of what an object a point would take. */
export function seriesBlock({ asset, days, range, premium, basis }: TokenSeries): string {
  const origins = originPlaces();
  const { symbol, underlying, chain, address } = asset;
  const tables: (readonly [string, string])[] = [
    [
      "premium",
      object([
        ...measured(premium, origins.placeOf),
        ["close", figures(premium, ({ premiumBps }) => premiumBps)],
        ["edge", figures(premium, ({ netEdgeBps }) => netEdgeBps)],
      ]),
    ],
    [
      "basis",
      object([
        ["venue", JSON.stringify(basis.venue)],
        ...measured(basis.points, origins.placeOf),
        ["close", figures(basis.points, ({ basisBps }) => basisBps)],
        ["funding", figures(basis.points, ({ fundingAnnualBps }) => fundingAnnualBps)],
      ]),
    ],
  ];
  return object([
    ["token", JSON.stringify({ symbol, underlying, chain, address })],
    ["days", String(days)],
    ["from", String(range.from)],
    ["to", String(range.to)],
    ["origins", array([...origins.texts.keys()])],
    ...tables,
  ]);
}

type Members = (readonly [name: string, json: string])[];

function measured(
  points: readonly (PremiumPoint | BasisPoint)[],
  placeOf: (origin: Origin) => string,
): Members {
  return [
    ["hour", array(points.map(({ hour }) => String(hour)))],
    ["origin", array(points.map(placeOf))],
    ["age", JSON.stringify(points.map(({ referenceAgeSeconds }) => referenceAgeSeconds))],
    ["witnesses", JSON.stringify(points.map(({ witnesses }) => witnesses))],
    ["samples", JSON.stringify(points.map(({ samples }) => samples))],
    ["spread", figures(points, ({ spreadBps }) => spreadBps)],
    ["lo", figures(points, ({ loBps }) => loBps)],
    ["hi", figures(points, ({ hiBps }) => hiBps)],
  ];
}

function figures<T>(points: readonly T[], figureOf: (point: T) => string | null): string {
  return array(points.map((point) => number(figureOf(point))));
}
