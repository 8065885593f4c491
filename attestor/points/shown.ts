/** What a point was computed from, as the data API shows it and as a verifier expects it. */
import { decimalText, exactOf, powerOfTen, rounded } from "../values/fraction.ts";
import type { Input, PointHour } from "./point.ts";

const PLACES = 12;

export const isoOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();

const witness = (sampledAt: number, [of, source, value, age, counts]: Input) => ({
  of,
  source,
  value,
  at: age === null ? null : isoOf(sampledAt - age),
  counts: counts === 1,
});

/** Figures are exact decimal text; null: the sample was no longer kept when the hour was sealed. */
export function shownInputs({ sampledAt, netEdgeBps, inputs }: PointHour) {
  if (inputs === null) return null;
  const witnesses = inputs.stated.map((one) => witness(sampledAt, one));
  const sampled = { sampled_at: isoOf(sampledAt) };
  return "perpMarkUsd" in inputs
    ? {
        ...sampled,
        mark_usd: inputs.perpMarkUsd,
        spot_usd: inputs.spotUsd,
        funding_rate: inputs.fundingRate,
        funding_interval_hours: inputs.fundingIntervalHours,
        witnesses,
      }
    : {
        ...sampled,
        price_usd: inputs.tokenPriceUsd,
        shares_per_token: inputs.sharesPerToken,
        reference_price_usd: inputs.referencePriceUsd,
        impact_1k_bps: inputs.impact1kBps,
        platform_fee_bps: inputs.platformFeeBps,
        net_edge_bps: netEdgeBps,
        witnesses,
        price_per_share_usd: pricePerShare(inputs.tokenPriceUsd, inputs.sharesPerToken),
      };
}

/** US dollars as decimal text, rounded to 12 places: for looking. What it follows from is shown beside it, unrounded. */
export function pricePerShare(tokenPriceUsd: string | null, sharesPerToken: string | null): string | null {
  if (tokenPriceUsd === null || sharesPerToken === null) return null;
  const [price, shares] = [exactOf(tokenPriceUsd), exactOf(sharesPerToken)];
  const over = price.digits * powerOfTen(shares.places + PLACES);
  return decimalText({ digits: rounded(over, shares.digits * powerOfTen(price.places)), places: PLACES });
}
