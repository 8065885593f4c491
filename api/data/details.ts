/** What a point may show beside its figures: what it was computed from, and the proof that it was signed. */

import type { PointHour } from "../../attestor/points/point.ts";
import { shownInputs } from "../../attestor/points/shown.ts";
import type { Database } from "../../database/open.ts";
import type { BasisPoint, MarketAsset, PremiumPoint, Range } from "../../market/queries.ts";
import { listActions } from "../../market/series/corporateActions.ts";
import { type StatedHour, statedHours } from "../../market/series/points.ts";
import { adjusted, type StockSplit, stockSplits } from "../../market/series/splits.ts";
import { pointProofs } from "./proofs.ts";
import type { Details, Face } from "./seriesPages.ts";
import { raw, refusal } from "./windows.ts";

const NAMES = ["inputs", "proof"] as const;
type Name = (typeof NAMES)[number];

/** Each proof takes some kilobytes. */
const MOST_PROOFS = 100;

const flag = (description: string) => raw(description, { type: "string", enum: ["0", "1"] });
export const detailParameters = {
  inputs: flag("`1`: each point says in `inputs` what it was computed from"),
  proof: flag(`\`1\`: each point has the proof that it was signed, at most ${MOST_PROOFS} a page`),
};

type Given = { readonly [N in Name]?: unknown };

/** undefined: none is asked for. Names of what is neither `0` nor `1` come too. */
export function readDetails(given: Given): {
  readonly details: Details | undefined;
  readonly malformed: readonly Name[];
} {
  const malformed = NAMES.filter((name) => given[name] !== undefined && !/^[01]$/.test(String(given[name])));
  const [inputs, proof] = [given.inputs === "1", given.proof === "1"];
  return { details: inputs || proof ? { inputs, proof } : undefined, malformed };
}

/** As `readDetails`. @throws Problem `invalid_request` that names what cannot be read */
export function detailsOf(given: Given): Details | undefined {
  const { details, malformed } = readDetails(given);
  if (malformed.length > 0) throw refusal(malformed.map((path) => ({ path, message: "must be 0 or 1" })));
  return details;
}

/** A face whose points may have details, which take many times as long to read. */
export type DetailedFace<P> = Face<P> & {
  /** Hours that a page with details may have. */
  readonly mostDetailed: number;
};

/** Hours that a page with these details may have. */
export function mostWith(details: Details | undefined, { most, mostDetailed }: DetailedFace<never>): number {
  if (details === undefined) return most;
  return details.proof ? Math.min(MOST_PROOFS, mostDetailed) : mostDetailed;
}

type Detailed<P> = P & { readonly more: string };

export function detailedFace<P>(face: DetailedFace<P>, details: Details): Face<P> {
  const most = mostWith(details, face);
  return {
    ...face,
    columns: [...face.columns, ...NAMES.filter((name) => details[name])],
    size: Math.min(face.size, most),
    most,
    streams: face.streams && !details.proof,
  };
}

export const premiumSaid = (hour: StatedHour): PremiumPoint => ({
  ...pointSaid(hour),
  premiumBps: hour.said.closeBps,
});

export const basisSaid = (hour: StatedHour): BasisPoint => ({
  ...pointSaid(hour),
  basisBps: hour.said.closeBps,
  fundingState: hour.said.fundingState,
});

const pointSaid = ({ hour, said: { fundingState: _, ...said }, sealed }: StatedHour) => ({
  ...said,
  hour,
  revision: sealed?.revision ?? null,
  changedAt: sealed?.changedAt ?? null,
});

/**
 * Reads hours of a series with their details, oldest first.
 * @param tokens all that stand for the stock, whose splits adjust prices
 * @throws DatabaseUnavailable
 */
export async function detailedHours<P>(
  db: Database,
  {
    series,
    details,
    tokens,
    point,
  }: {
    readonly series: string;
    readonly details: Details;
    readonly tokens: readonly MarketAsset[];
    readonly point: (hour: StatedHour) => P;
  },
  range: Range,
  limit: number,
): Promise<Detailed<P>[]> {
  const hours = await statedHours(db, series, range, limit);
  const splits = details.inputs ? await splitsOf(db, tokens) : [];
  const proofs = details.proof ? await pointProofs(db, series, hours) : [];
  return hours.map((hour, index) => {
    const inputs = details.inputs ? `,"inputs":${JSON.stringify(inputsOf(hour.said, splits))}` : "";
    const proof = details.proof ? `,"proof":${JSON.stringify(proofs[index])}` : "";
    return { ...point(hour), more: `${inputs}${proof}` };
  });
}

async function splitsOf(db: Database, tokens: readonly MarketAsset[]): Promise<StockSplit[]> {
  return stockSplits(
    await listActions(db, {
      assetKeys: tokens.map(({ assetKey }) => assetKey),
      kinds: ["split"],
      statuses: ["applied"],
      limit: 1_000,
    }),
  );
}

/** What was signed, and what follows from it and from splits since. */
function inputsOf(said: PointHour, splits: readonly StockSplit[]) {
  const shown = shownInputs(said);
  const { inputs, sampledAt } = said;
  if (shown === null || inputs === null) return null;
  if ("perpMarkUsd" in inputs) {
    const prices = {
      tokenPriceUsd: inputs.perpMarkUsd,
      sharesPerToken: "1",
      referencePriceUsd: inputs.spotUsd,
    };
    const now = adjusted({ ...prices, stated: [] }, sampledAt, splits);
    return {
      ...shown,
      adjusted: now && {
        ...{ factor: now.factor, inferred: now.inferred },
        ...{ mark_usd: now.pricePerShareUsd, spot_usd: now.referencePriceUsd },
      },
    };
  }
  const now = adjusted(inputs, sampledAt, splits);
  return {
    ...shown,
    adjusted: now && {
      ...{ factor: now.factor, inferred: now.inferred, price_usd: now.tokenPriceUsd },
      ...{ shares_per_token: now.sharesPerToken, price_per_share_usd: now.pricePerShareUsd },
      reference_price_usd: now.referencePriceUsd,
    },
  };
}
