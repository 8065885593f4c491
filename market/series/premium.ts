/** What a token costs more than the stock that it stands for. */
import { z } from "zod";
import { exactOf, powerOfTen } from "../../attestor/values/fraction.ts";
import type { Database } from "../../database/open.ts";
import { AgeSeconds, Agreement, AssetKey, Inputs, Price, Signed, Sources, Stamp } from "./fields.ts";
import { type SeriesSample, storeSamples } from "./hours.ts";
import { record } from "./record.ts";
import { listedMembers, listedOf, listText, type StoredSample } from "./stored.ts";
import { BPS_PER_ONE, bpsText, unitsOf, unitsOfFraction } from "./units.ts";

/** A token's price per share that is beyond this many times the reference, or below that part of it, is no price. */
const MAX_FACTOR = 2n;

export const PremiumSample = z.strictObject({
  assetKey: AssetKey,
  ...Stamp,
  /** US dollars per whole token; null: its sources disagree. */
  tokenPriceUsd: Price.nullable(),
  /** Shares that a whole token stands for; null: the same. */
  sharesPerToken: Price.nullable(),
  /** US dollars per share; null: there was no reference, or its sources disagree. */
  referencePriceUsd: Price.nullable(),
  /** The sources of the reference; null without one. */
  referenceSource: Sources.nullable(),
  /** How old the reference was; null: there is none, or nobody knows its age. */
  referenceAgeSeconds: AgeSeconds,
  ...Agreement,
  /** Basis points that a buy of $1,000 is worse than a tiny one, measured with the price; null: no route. */
  impact1kBps: Signed.nullable(),
  platformFeeBps: Signed,
  inputs: Inputs,
});
export type PremiumSample = z.input<typeof PremiumSample>;
export type ParsedPremium = z.output<typeof PremiumSample>;

export const premiumSeries = (assetKey: string): string => `premium/${assetKey}`;

/** Stores samples and computes their hours again, as `record` says. */
export const recordPremiums = (db: Database, samples: readonly PremiumSample[], now: number) =>
  record(db, samples, now, {
    kind: "premium",
    sample: PremiumSample,
    subjectOf: ({ assetKey }) => assetKey,
    seriesOf: ({ assetKey }) => premiumSeries(assetKey),
    implausible,
    store: (transaction, plausible) => storeSamples(transaction, plausible.map(toSeries)),
  });

function implausible(sample: ParsedPremium): string | null {
  const ratio = priceRatio(sample);
  if (ratio === null) return null;
  const { share, reference } = ratio;
  return share > MAX_FACTOR * reference || share * MAX_FACTOR < reference ? "far_from_reference" : null;
}

const LISTED = listedOf(PremiumSample.shape, "assetKey", "sampledAt");

/** @throws ZodError for what was not stored by this function's family */
export function premiumOf({ series, sampledAt, text }: StoredSample): ParsedPremium {
  const assetKey = series.slice(premiumSeries("").length);
  return PremiumSample.parse({ assetKey, sampledAt, ...listedMembers(LISTED, text) });
}

function toSeries(sample: ParsedPremium): SeriesSample {
  return {
    series: premiumSeries(sample.assetKey),
    sampledAt: sample.sampledAt,
    origin: {
      source: sample.source,
      session: sample.session,
      reference_source: sample.referenceSource ?? "",
      state: sample.state ?? "",
      funding_state: "",
      halted: sample.halted ? 1 : 0,
    },
    figures: premiumFigures(sample),
    text: listText(LISTED, sample),
  };
}

/** In ten-thousandths of a basis point. */
export function premiumFigures(sample: ParsedPremium): SeriesSample["figures"] {
  const ratio = priceRatio(sample);
  return {
    close: ratio && premiumUnits(ratio),
    net_edge: ratio && netEdgeUnits(ratio, sample.platformFeeBps, sample.impact1kBps),
    funding_annual: null,
    reference_age: sample.referenceAgeSeconds,
    witnesses: sample.witnesses,
    spread: sample.spreadBps === null ? null : unitsOf(sample.spreadBps),
  };
}

type Prices = Pick<PremiumSample, "tokenPriceUsd" | "sharesPerToken" | "referencePriceUsd">;

/** What a share costs by the token and by the reference, as whole numbers of one scale. */
interface PriceRatio {
  readonly share: bigint;
  readonly reference: bigint;
}

/** Null where one of the three is not known. */
function priceRatio({ tokenPriceUsd, sharesPerToken, referencePriceUsd }: Prices): PriceRatio | null {
  if (tokenPriceUsd === null || sharesPerToken === null || referencePriceUsd === null) return null;
  const token = exactOf(tokenPriceUsd);
  const shares = exactOf(sharesPerToken);
  const reference = exactOf(referencePriceUsd);
  return {
    share: token.digits * powerOfTen(shares.places + reference.places),
    reference: shares.digits * reference.digits * powerOfTen(token.places),
  };
}

/** Token price per share / reference price - 1. */
const premiumUnits = ({ share, reference }: PriceRatio): number =>
  unitsOfFraction(share - reference, reference);

/** In basis points, rounded to the ten-thousandths that are stored; null where one of the three is not known. */
export function premiumBps(prices: Prices): string | null {
  const ratio = priceRatio(prices);
  return ratio && bpsText(premiumUnits(ratio));
}

/** -premium - platform fee - impact of $1k; null when the impact is not known. */
function netEdgeUnits(
  { share, reference }: PriceRatio,
  platformFee: string,
  impact1k: string | null,
): number | null {
  if (impact1k === null) return null;
  const [fee, impact] = [exactOf(platformFee), exactOf(impact1k)];
  const costs = fee.digits * powerOfTen(impact.places) + impact.digits * powerOfTen(fee.places);
  const scale = BPS_PER_ONE * powerOfTen(fee.places + impact.places);
  return unitsOfFraction((reference - share) * scale - costs * reference, reference * scale);
}
