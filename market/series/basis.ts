/** What a perpetual costs more than the stock, and what holding it earns or costs in a year. */
import { sql } from "kysely";
import { z } from "zod";
import { type Exact, exactOf, powerOfTen } from "../../attestor/values/fraction.ts";
import { ascending } from "../../attestor/values/order.ts";
import type { Database } from "../../database/open.ts";
import {
  AgeSeconds,
  Agreement,
  FigureState,
  Inputs,
  Price,
  Signed,
  Sources,
  Stamp,
  Ticker,
} from "./fields.ts";
import { HOUR_SECONDS, type SeriesSample, storeSamples } from "./hours.ts";
import { record } from "./record.ts";
import { listedMembers, listedOf, listText, type StoredSample } from "./stored.ts";
import { bpsText, unitsOf, unitsOfFraction } from "./units.ts";

/** A mark price beyond this many times the spot price, or below that part of it, is no price. */
const MAX_FACTOR = 2n;
/** One whole, paid every interval, is beyond any venue's cap. */
const isAbsurd = ({ digits, places }: Exact) => digits > powerOfTen(places) || -digits > powerOfTen(places);
const HOURS_A_YEAR = 8_760n;

export const BasisSample = z.strictObject({
  underlying: Ticker,
  ...Stamp,
  /** US dollars; null where history has the funding alone. */
  perpMarkUsd: Price.nullable(),
  /** US dollars per share; null: there was no spot price. */
  spotUsd: Price.nullable(),
  /** The sources of the spot price; null without one. */
  spotSource: Sources.nullable(),
  /** How old the spot price was; null: there was none, or nobody knows its age. */
  spotAgeSeconds: AgeSeconds,
  ...Agreement,
  /** Per interval, as a fraction, signed; null: not known. */
  fundingRate: Signed.nullable(),
  /** null: not known. */
  fundingIntervalHours: z.int().min(1).max(24).nullable(),
  fundingState: FigureState,
  inputs: Inputs,
});
export type BasisSample = z.input<typeof BasisSample>;
export type ParsedBasis = z.output<typeof BasisSample>;

/** Venues differ: a series that changed between them would show it as basis. @param venue a sample's source */
export const basisSeries = (venue: string, underlying: string): string => `basis/${venue}/${underlying}`;

/** Stores samples and computes their hours again, as `record` says. */
export const recordBases = (db: Database, samples: readonly BasisSample[], now: number) =>
  record(db, samples, now, {
    kind: "basis",
    sample: BasisSample,
    subjectOf: ({ underlying }) => underlying,
    seriesOf: ({ source, underlying }) => basisSeries(source, underlying),
    implausible,
    store: (transaction, plausible) => storeSamples(transaction, plausible.map(toSeries)),
  });

function implausible(sample: ParsedBasis): string | null {
  if (sample.fundingRate !== null && isAbsurd(exactOf(sample.fundingRate))) return "absurd_funding";
  if (sample.perpMarkUsd === null || sample.spotUsd === null) return null;
  const { mark, spot } = onOneScale(sample.perpMarkUsd, sample.spotUsd);
  return mark > MAX_FACTOR * spot || mark * MAX_FACTOR < spot ? "far_from_spot" : null;
}

const TAPE_SECONDS = 7 * 86_400;

/** Annualized funding of a series, basis points without their sign. */
export interface FundingTape {
  readonly mean: string;
  readonly largest: string;
}

/**
 * Of the hours of the last seven days that have ended, by series: what was served in this hour is no measure of itself.
 * @param now unix seconds
 * @throws DatabaseUnavailable
 */
export async function fundingTape(db: Database, now: number): Promise<Map<string, FundingTape>> {
  const rows = await db
    .selectFrom("series")
    .innerJoin("hour_buckets", "hour_buckets.series_id", "series.id")
    .where("series.name", "like", "basis/%")
    .where("hour_buckets.hour", ">=", Math.floor((now - TAPE_SECONDS) / HOUR_SECONDS))
    .where("hour_buckets.hour", "<", Math.floor(now / HOUR_SECONDS))
    .where("hour_buckets.funding_annual", "is not", null)
    .groupBy("series.name")
    .select([
      "series.name",
      sql<number>`avg(abs(hour_buckets.funding_annual))`.as("mean"),
      sql<number>`max(abs(hour_buckets.funding_annual))`.as("largest"),
    ])
    .execute();
  const textOf = (units: number) => bpsText(Math.round(Number(units))) ?? "0";
  return new Map(
    rows.map(({ name, mean, largest }) => [name, { mean: textOf(mean), largest: textOf(largest) }]),
  );
}

const LISTED = listedOf(BasisSample.shape, "underlying", "sampledAt", "source");

/** @throws ZodError for what was not stored by this function's family */
export function basisOf({ series, sampledAt, text }: StoredSample): ParsedBasis {
  const [, source, underlying] = series.split("/");
  return BasisSample.parse({ underlying, source, sampledAt, ...listedMembers(LISTED, text) });
}

function toSeries(sample: ParsedBasis): SeriesSample {
  return {
    series: basisSeries(sample.source, sample.underlying),
    sampledAt: sample.sampledAt,
    origin: {
      source: sample.source,
      session: sample.session,
      reference_source: sample.spotSource ?? "",
      state: sample.state ?? "",
      funding_state: sample.fundingState ?? "",
      halted: sample.halted ? 1 : 0,
    },
    figures: {
      close: basisUnits(sample),
      net_edge: null,
      funding_annual: fundingAnnualUnits(sample),
      reference_age: sample.spotAgeSeconds,
      witnesses: sample.witnesses,
      spread: sample.spreadBps === null ? null : unitsOf(sample.spreadBps),
    },
    text: listText(LISTED, sample),
  };
}

/** (perpetual's mark - spot) / spot; null when one of them is not known. */
function basisUnits({ perpMarkUsd, spotUsd }: Pick<BasisSample, "perpMarkUsd" | "spotUsd">): number | null {
  if (perpMarkUsd === null || spotUsd === null) return null;
  const { mark, spot } = onOneScale(perpMarkUsd, spotUsd);
  return unitsOfFraction(mark - spot, spot);
}

/** rate * (24 / interval hours) * 365, without compounding; null where one of them is not known. */
function fundingAnnualUnits(
  sample: Pick<BasisSample, "fundingRate" | "fundingIntervalHours">,
): number | null {
  if (sample.fundingRate === null || sample.fundingIntervalHours === null) return null;
  const { digits, places } = exactOf(sample.fundingRate);
  return unitsOfFraction(digits * HOURS_A_YEAR, powerOfTen(places) * BigInt(sample.fundingIntervalHours));
}

/** Both prices as whole numbers of one scale. */
function onOneScale(perpMarkUsd: string, spotUsd: string) {
  const [mark, spot] = [exactOf(perpMarkUsd), exactOf(spotUsd)];
  return { mark: mark.digits * powerOfTen(spot.places), spot: spot.digits * powerOfTen(mark.places) };
}

/** In this order the first that has a series of a stock is its venue by default; any other comes after them. */
const VENUES = ["hyperliquid", "binance"];

/** Venues whose perpetual of a stock has a series, the default first. @throws DatabaseUnavailable */
export async function basisVenues(db: Database, underlying: string): Promise<string[]> {
  const rows = await db.selectFrom("series").select("name").where("name", "like", "basis/%").execute();
  const venues = rows.flatMap(({ name }) => {
    const [, venue = "", ticker] = name.split("/");
    return ticker === underlying ? [venue] : [];
  });
  const rank = (venue: string) => (VENUES.includes(venue) ? VENUES.indexOf(venue) : VENUES.length);
  return venues.sort((one, other) => rank(one) - rank(other) || ascending(one, other));
}
