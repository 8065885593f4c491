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
import { format } from "./formats.ts";
import { basisHistory, publicPremium } from "./json.ts";
import { chosenBy, cursor, moment, name, rowsOfPage } from "./query.ts";
import { Revision as RevisionRow } from "./revisionSchemas.ts";
import { pageOf, secondOf, windowOf } from "./windows.ts";
import { listWritten, type Written } from "./written.ts";

const MOST_REVISIONS = 1_000;

/** As far as the columns go. */
const RevisionPlace = z.tuple([
  z.int().min(0),
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
]);

export const RevisionsQuery = z.strictObject({
  ...chosenBy,
  underlying: name("Only of tokens of the stock with this ticker, and of its perpetuals"),
  from: moment("Only what was written then or later: a date or a date-time, UTC"),
  to: moment("Only what was written before then"),
  limit: rowsOfPage("Revisions in a page", MOST_REVISIONS, 100),
  cursor,
  format,
});

const UNITS = { before: "JSON", after: "JSON", ts: "ISO 8601 UTC, start of the hour" };

/** @throws DatabaseUnavailable */
export async function revisionsWritten(
  db: Database,
  assets: readonly MarketAsset[],
  { attribution, now }: { readonly attribution: string; readonly now: UnixSeconds },
  query: z.infer<typeof RevisionsQuery>,
): Promise<Written> {
  const { limit, from = null, to = null } = query;
  const { after } = windowOf({ cursor: query.cursor }, RevisionPlace, MOST_REVISIONS) ?? {};
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
  const about = { dataset: "revisions", attribution, units: UNITS, window: { from, to }, now };
  return listWritten(
    query.format,
    about,
    Object.keys(RevisionRow.shape),
    next,
    () => revisions,
    () => JSON.stringify({ attribution, revisions, next_cursor: next }),
  );
}

/** undefined: all. A stock's are those of its tokens and of its perpetuals. */
async function seriesOf(
  db: Database,
  assets: readonly MarketAsset[],
  query: ChosenBy,
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
