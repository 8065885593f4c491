/** What a token's page tells of it over time, and its form for the page's charts (`web/series/block.ts` reads it). */
import type { Database } from "../../database/open.ts";
import {
  type BasisPoint,
  basisPoints,
  basisVenues,
  type LiquidityScore,
  liquidityScores,
  type MarketAsset,
  type PremiumPoint,
  premiumPoints,
  type Range,
} from "../../market/queries.ts";
import {
  type GradePoint,
  type ImpactPoint,
  impactHistory,
  type PricePoint,
  pricePoints,
} from "../../market/tokenHistory.ts";
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
  /** null for who has no key: what the public endpoints do not serve. */
  readonly keyed: {
    readonly prices: readonly PricePoint[];
    readonly impact: readonly ImpactPoint[];
    readonly grades: readonly GradePoint[];
    readonly score: LiquidityScore;
  } | null;
}

/**
 * Without a key what the public endpoints serve of these days, by the same queries.
 * @param now unix seconds
 * @throws DatabaseUnavailable
 */
export async function readTokenSeries(
  db: Database,
  { asset, days, keyed }: { readonly asset: MarketAsset; readonly days: number; readonly keyed: boolean },
  now: number,
): Promise<TokenSeries> {
  const range = hoursBack(days, now);
  const { assetKey, underlying } = asset;
  const [premium, [venue = null]] = await Promise.all([
    premiumPoints(db, assetKey, range),
    basisVenues(db, underlying),
  ]);
  const basis = { venue, points: venue === null ? [] : await basisPoints(db, underlying, range, venue) };
  if (!keyed) return { asset, days, range, premium, basis, keyed: null };
  const [prices, impacts, [score]] = await Promise.all([
    pricePoints(db, assetKey, range),
    impactHistory(db, assetKey, range, now),
    liquidityScores(db, [assetKey], now),
  ]);
  const { hours: impact, grades } = impacts;
  return { asset, days, range, premium, basis, keyed: { prices, impact, grades, score: score! } };
}

/** Of an impact no state is known. */
type Origin = Pick<PremiumPoint, "source" | "session" | "referenceSource"> &
  Partial<Pick<BasisPoint, "state" | "halted" | "fundingState">>;

/** Origins are few and repeat: points name them by their place. */
function originPlaces() {
  const places = new Map<string, number>();
  return {
    texts: places,
    placeOf(given: Origin): string {
      const { source, session, referenceSource, state = null, halted = false, fundingState } = given;
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
export function seriesBlock({ asset, days, range, premium, basis, keyed }: TokenSeries): string {
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
    ["prices", keyed ? pricesBlock(keyed.prices) : "null"],
    ["impact", keyed ? impactBlock(keyed.impact, origins.placeOf) : "null"],
    ["grades", keyed ? gradesBlock(keyed.grades) : "null"],
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

/** Texts: a price may have more digits than a double holds. */
function pricesBlock(points: readonly PricePoint[]): string {
  return JSON.stringify({
    hour: points.map(({ hour }) => hour),
    token: points.map(({ tokenUsd }) => tokenUsd),
    shares: points.map(({ sharesPerToken }) => sharesPerToken),
    perShare: points.map(({ perShareUsd }) => perShareUsd),
    reference: points.map(({ referenceUsd }) => referenceUsd),
  });
}

function impactBlock(points: readonly ImpactPoint[], placeOf: (origin: Origin) => string): string {
  return object([
    ["hour", array(points.map(({ hour }) => String(hour)))],
    ["origin", array(points.map((point) => placeOf({ ...point, referenceSource: null })))],
    ["small", figures(points, ({ impact1kBps }) => impact1kBps)],
    ["large", figures(points, ({ impact10kBps }) => impact10kBps)],
  ]);
}

function gradesBlock(points: readonly GradePoint[]): string {
  return object([
    ["at", array(points.map(({ at }) => String(at)))],
    ["grade", JSON.stringify(points.map(({ grade }) => grade))],
    ["small", figures(points, ({ impact1kBps }) => impact1kBps)],
    ["large", figures(points, ({ impact10kBps }) => impact10kBps)],
    ["samples", JSON.stringify(points.map(({ sampleN }) => sampleN))],
  ]);
}
