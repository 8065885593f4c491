/** Revisions as the data API lists them: what was published of an hour, and what was published before. */
import { z } from "zod";
import { isoOf, shownInputs } from "../../attestor/points/shown.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import { basisVenues, type MarketAsset } from "../../market/queries.ts";
import { basisSeries } from "../../market/series/basis.ts";
import { listRevisions, type Revision, type StatedHour } from "../../market/series/points.ts";
import { premiumSeries } from "../../market/series/premium.ts";
import { type ChosenBy, chosenTokens } from "./actions.ts";
import { basisSaid, premiumSaid } from "./details.ts";
import { type Format, listAs } from "./formats.ts";
import { basisHistory, dateTime, publicPremium } from "./json.ts";
import { Revision as RevisionRow } from "./revisionSchemas.ts";
import { pageOf } from "./windows.ts";
import type { Written } from "./written.ts";

const Whole = z.int().min(0);
export const RevisionPlace = z.tuple([Whole, Whole, Whole, Whole]);

export interface RevisionsQuery extends ChosenBy {
  /** Dates or date-times, UTC, of the change. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  readonly after?: z.infer<typeof RevisionPlace> | undefined;
  readonly format: Format;
}

const UNITS = { before: "JSON", after: "JSON", ts: "ISO 8601 UTC, start of the hour" };

/** @throws DatabaseUnavailable */
export async function revisionsWritten(
  db: Database,
  assets: readonly MarketAsset[],
  { attribution, now }: { readonly attribution: string; readonly now: UnixSeconds },
  query: RevisionsQuery,
): Promise<Written> {
  const { limit, format, after, from = null, to = null } = query;
  const { page, next } = pageOf(
    await listRevisions(db, {
      series: await seriesOf(db, assets, query),
      from: secondOf(from),
      to: secondOf(to),
      after,
      limit: limit + 1,
    }),
    limit,
    ({ place }) => place,
  );
  const byKey = new Map(assets.map((asset) => [asset.assetKey, asset]));
  const revisions = page.map((revision) => listed(revision, byKey));
  if (format === "json") return { text: JSON.stringify({ attribution, revisions, next_cursor: next }), next };
  const meta = {
    ...{ dataset: "revisions", attribution, units: UNITS, window: { from, to } },
    ...{ generated_at: dateTime(now), next_cursor: next },
  };
  return { ...listAs(format, meta, Object.keys(RevisionRow.shape), revisions), next };
}

const secondOf = (text: string | null) => (text === null ? undefined : Math.ceil(Date.parse(text) / 1_000));

/** undefined: all. A stock's are those of its tokens and of its perpetuals. */
async function seriesOf(
  db: Database,
  assets: readonly MarketAsset[],
  query: RevisionsQuery,
): Promise<string[] | undefined> {
  const tokens = chosenTokens(assets, query);
  if (tokens === undefined) return undefined;
  const { symbol, chain, address, underlying } = query;
  const ofToken = [symbol, chain, address].some((wanted) => wanted !== undefined);
  const venues = ofToken || underlying === undefined ? [] : await basisVenues(db, underlying);
  return [
    ...tokens.map(({ assetKey }) => premiumSeries(assetKey)),
    ...venues.map((venue) => basisSeries(venue, underlying ?? "")),
  ];
}

function listed(
  { series, hour, revision, changedAt, change, before, after }: Revision,
  byKey: ReadonlyMap<string, MarketAsset>,
) {
  const [, venue = null, ticker = null] = series.startsWith("basis/") ? series.split("/") : [];
  const token = byKey.get(series.slice(premiumSeries("").length));
  const point = (stated: StatedHour | null) =>
    stated && (venue === null ? shownPremium(stated) : shownBasis(stated));
  return {
    series,
    symbol: token?.symbol ?? null,
    chain: token?.chain ?? null,
    address: token?.address ?? null,
    underlying: ticker ?? token?.underlying ?? null,
    venue,
    ts: isoOf(hour),
    revision,
    changed_at: isoOf(changedAt),
    change,
    before: point(before),
    after: point(after),
  };
}

const withInputs = ({ said }: StatedHour) => `,"inputs":${JSON.stringify(shownInputs(said))}`;

const shownPremium = (stated: StatedHour): unknown =>
  JSON.parse(publicPremium([{ ...premiumSaid(stated), more: withInputs(stated) }]))[0];

const shownBasis = (stated: StatedHour): unknown =>
  JSON.parse(basisHistory([{ ...basisSaid(stated), more: withInputs(stated) }]))[0];
