/** What a point was computed from, as `inputs=1` shows it beside its figures. */
import type { Database } from "../../database/open.ts";
import type { BasisPoint, MarketAsset, PremiumPoint, Range } from "../../market/queries.ts";
import { sampledBases, sampledPremiums } from "../../market/sampled.ts";
import type { ParsedBasis } from "../../market/series/basis.ts";
import type { Input } from "../../market/series/fields.ts";
import { HOUR_SECONDS, rawKeptFrom } from "../../market/series/hours.ts";
import type { ParsedPremium } from "../../market/series/premium.ts";
import { pricePerShare } from "../../market/series/units.ts";
import { Problem } from "../http/problems.ts";
import { dateTime } from "./json.ts";
import { raw, refusal } from "./windows.ts";

export const inputsParameter = raw("`1`: each point says in `inputs` what it was computed from", {
  type: "string",
  enum: ["0", "1"],
});

/** @returns undefined for what is neither 0 nor 1 */
export function readInputs(given: unknown): boolean | undefined {
  if (given === undefined || given === "0") return false;
  return given === "1" ? true : undefined;
}

/** As `readInputs`. @throws Problem `invalid_request` */
export function inputsOf(given: unknown): boolean {
  const inputs = readInputs(given);
  if (inputs === undefined) throw refusal([{ path: "inputs", message: "must be 0 or 1" }]);
  return inputs;
}

type WithInputs<Point> = Point & { readonly more: string };

const withInputs = <Point>(point: Point, inputs: object): WithInputs<Point> => ({
  ...point,
  more: `,"inputs":${JSON.stringify(inputs)}`,
});

/**
 * Oldest first; hours without samples are absent.
 * @throws Problem `window_too_old` where samples are no longer kept; DatabaseUnavailable
 */
export async function premiumsWithInputs(
  db: Database,
  { assetKey }: MarketAsset,
  range: Range,
): Promise<WithInputs<PremiumPoint>[]> {
  const hours = await sampledPremiums(db, assetKey, range);
  await refuseCleared(db, range);
  return hours.map(({ point, sample }) => withInputs(point, premiumInputs(sample, point)));
}

/** As `premiumsWithInputs`. @throws Problem `window_too_old`; DatabaseUnavailable */
export async function basesWithInputs(
  db: Database,
  underlying: string,
  range: Range,
  venue: string,
): Promise<WithInputs<BasisPoint>[]> {
  const hours = await sampledBases(db, underlying, range, venue);
  await refuseCleared(db, range);
  return hours.map(({ point, sample }) => withInputs(point, basisInputs(sample)));
}

/** After the hours were read: what was cleared meanwhile is noticed. */
async function refuseCleared(db: Database, { from }: Range): Promise<void> {
  const keptFrom = await rawKeptFrom(db);
  if (Math.ceil(from / HOUR_SECONDS) * HOUR_SECONDS < keptFrom)
    throw new Problem(
      "window_too_old",
      `inputs are kept from ${dateTime(keptFrom)} on; the window begins before`,
    );
}

function premiumInputs(sample: ParsedPremium, { netEdgeBps }: PremiumPoint) {
  const { tokenPriceUsd, sharesPerToken } = sample;
  return {
    sampled_at: dateTime(sample.sampledAt),
    price_usd: tokenPriceUsd,
    shares_per_token: sharesPerToken,
    reference_price_usd: sample.referencePriceUsd,
    impact_1k_bps: sample.impact1kBps,
    platform_fee_bps: sample.platformFeeBps,
    net_edge_bps: netEdgeBps,
    witnesses: witnessesOf(sample),
    price_per_share_usd: pricePerShare(tokenPriceUsd, sharesPerToken),
  };
}

function basisInputs(sample: ParsedBasis) {
  return {
    sampled_at: dateTime(sample.sampledAt),
    mark_usd: sample.perpMarkUsd,
    spot_usd: sample.spotUsd,
    funding_rate: sample.fundingRate,
    funding_interval_hours: sample.fundingIntervalHours,
    witnesses: witnessesOf(sample),
  };
}

function witnessesOf({
  sampledAt,
  inputs,
}: {
  readonly sampledAt: number;
  readonly inputs: readonly Input[];
}) {
  return inputs.map(([of, source, value, age, counts]) => ({
    of,
    source,
    value,
    at: age === null ? null : dateTime(sampledAt - age),
    counts: counts === 1,
  }));
}
