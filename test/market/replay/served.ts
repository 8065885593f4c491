/** Every figure that is served after a day, by the same names as the expected ones. */
import type { Database } from "../../../database/open.ts";
import {
  type BasisPoint,
  basisPoints,
  basisVenues,
  dailyTotals,
  liquidityScores,
  liveTotals,
  type MarketAsset,
  type PremiumPoint,
  premiumPoints,
} from "../../../market/queries.ts";
import { basisOf } from "../../../market/series/basis.ts";
import { premiumOf } from "../../../market/series/premium.ts";
import type { Figure, Figures } from "./expected.ts";

const DAY_SECONDS = 86_400;
const numberOf = (text: string | null) => (text === null ? null : Number(text));

/** @param endedAt unix seconds */
export async function servedOf(
  db: Database,
  assets: readonly MarketAsset[],
  endedAt: number,
): Promise<Figures> {
  const figures: Figures = new Map();
  const all = { from: 0, to: endedAt + DAY_SECONDS };
  const keys = assets.map(({ assetKey }) => assetKey);
  for (const assetKey of keys)
    for (const point of await premiumPoints(db, assetKey, all))
      note(figures, `premium ${assetKey}`, point, point.premiumBps, point.netEdgeBps);
  for (const ticker of new Set(assets.map(({ underlying }) => underlying)))
    for (const venue of await basisVenues(db, ticker))
      for (const point of await basisPoints(db, ticker, all, venue))
        note(figures, `basis ${venue}/${ticker}`, point, point.basisBps, point.fundingAnnualBps);
  for (const { name, sampled_at: sampledAt, sample: text } of await db
    .selectFrom("raw_samples")
    .innerJoin("series", "series.id", "raw_samples.series_id")
    .select(["name", "sampled_at", "sample"])
    .execute())
    noteSample(figures, `${name.replace("/", " ")} at ${sampledAt}`, { series: name, sampledAt, text });
  for (const { assetKey, ...score } of await liquidityScores(db, keys, endedAt)) {
    figures.set(`impact ${assetKey} 1k`, numberOf(score.impact1kBps));
    figures.set(`impact ${assetKey} 10k`, numberOf(score.impact10kBps));
    figures.set(`impact ${assetKey} samples`, score.sampleN);
    figures.set(`impact ${assetKey} grade`, score.grade);
  }
  for (const total of await dailyTotals(db, "2000-01-01", "2100-01-01")) {
    const name = `day ${Date.parse(`${total.day}T00:00:00Z`) / 1_000 + DAY_SECONDS} ${total.scope}`;
    figures.set(`${name} volume`, Number(total.volumeUsd));
    figures.set(`${name} liquidity`, Number(total.liquidityUsd));
    figures.set(`${name} count`, total.count);
  }
  const live = await liveTotals(db, endedAt);
  figures.set("live volume", numberOf(live.volume24hUsd));
  figures.set("live liquidity", numberOf(live.liquidityUsd));
  figures.set("live tokens", live.tokensWithDexData);
  return figures;
}

/** What stands between the hours' closes. */
function noteSample(figures: Figures, name: string, stored: Parameters<typeof premiumOf>[0]): void {
  const isBasis = stored.series.startsWith("basis/");
  const basis = isBasis ? basisOf(stored) : null;
  const { state, spreadBps, tokenPriceUsd, sharesPerToken, referencePriceUsd } = basis
    ? { ...basis, tokenPriceUsd: basis.perpMarkUsd, sharesPerToken: "1", referencePriceUsd: basis.spotUsd }
    : premiumOf(stored);
  const [price, shares, reference] = [tokenPriceUsd, sharesPerToken, referencePriceUsd].map(numberOf);
  const value = price && shares && reference ? (price / (shares * reference) - 1) * 10_000 : null;
  figures.set(`${name} value`, value);
  figures.set(`${name} state`, state);
  figures.set(`${name} spread`, numberOf(spreadBps));
  if (basis) figures.set(`${name} funding`, numberOf(basis.fundingRate));
  if (basis) figures.set(`${name} funding state`, basis.fundingState);
}

function note(
  figures: Figures,
  name: string,
  point: PremiumPoint | BasisPoint,
  close: string | null,
  netEdgeOrFunding: string | null,
): void {
  const set = (figure: string, value: Figure) => figures.set(`${name} ${point.hour} ${figure}`, value);
  set("close", numberOf(close));
  set("lo", numberOf(point.loBps));
  set("hi", numberOf(point.hiBps));
  set("net edge or funding", numberOf(netEdgeOrFunding));
  set("source", point.source);
  set("reference", point.referenceSource);
  set("reference age", point.referenceAgeSeconds);
  set("witnesses", point.witnesses);
  set("samples", point.samples);
  set("state", point.state);
  set("spread", numberOf(point.spreadBps));
  set("halted", Number(point.halted));
  if ("fundingState" in point) set("funding state", point.fundingState);
}

export interface Difference {
  readonly name: string;
  /** Undefined: there is no such figure. */
  readonly served: Figure | undefined;
  readonly expected: Figure | undefined;
}

/** Series keep four places of a basis point. */
const TOLERANCE = 1.01e-4;

/** Of the figures of either side those that differ, and how many there are. */
export function compare(served: Figures, expected: Figures): { compared: number; differing: Difference[] } {
  const names = new Set([...served.keys(), ...expected.keys()]);
  const differing = [...names]
    .map((name) => ({ name, served: served.get(name), expected: expected.get(name) }))
    .filter(({ served: one, expected: other }) =>
      typeof one === "number" && typeof other === "number"
        ? Math.abs(one - other) > TOLERANCE
        : one !== other,
    );
  return { compared: names.size, differing };
}
