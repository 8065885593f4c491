/** Read this first: the six answers of the data API, each asked of the market once and then kept for a while. */
import type { Caches } from "../../chain/caches.ts";
import { isDatabaseUnavailable } from "../../database/databaseErrors.ts";
import type { Database } from "../../database/open.ts";
import type { Reads } from "../../database/replica/reads.ts";
import {
  basisPoints,
  basisVenues,
  type MarketAsset,
  type PremiumPoint,
  premiumPoints,
  type Range,
} from "../../market/queries.ts";
import { basisSeries } from "../../market/series/basis.ts";
import { premiumSeries } from "../../market/series/premium.ts";
import { type Cache, createCache, type Finished, finish } from "../http/cache.ts";
import { withinTime } from "../http/deadline.ts";
import { basisSaid, detailedFace, detailedHours, premiumSaid } from "./details.ts";
import { BASIS, KEYED_PREMIUM, PUBLIC_PREMIUM } from "./faces.ts";
import { type LatestQuery, latestWritten } from "./latest.ts";
import { findByAddress, findToken, type TokenQuery } from "./listing.ts";
import { ASSETS, type ListDeps, listWindow, SCORES, type TokenList, type TokenWindow } from "./listTexts.ts";
import { emptyOverview, overviewWindow } from "./overviewPages.ts";
import { type Asked, type Details, type SeriesQuestion, seriesAs } from "./seriesPages.ts";
import {
  type BasisSeries,
  basisText,
  emptyBasisText,
  emptyOverviewText,
  premiumPointsText,
  premiumText,
  publicPremiumPointsText,
  publicPremiumText,
  secondsOf,
  storedBasisText,
  storedOverviewText,
  type TokenSeries,
} from "./seriesTexts.ts";
import { type Texts, textsOf } from "./texts.ts";
import type { Window } from "./windows.ts";
import { answerOf, type DataAnswer, keptAnswer, type Written } from "./written.ts";

export const LIFETIME_SECONDS = 30;
/** How long a public answer waits for the database. */
const PUBLIC_PATIENCE_MS = 1_000;
/** The longest series, 90 days, takes about 300 KB. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

/** Names of venues are few; what is none is not kept. */
const VENUE = /^[a-z]{1,20}$/;

export interface DataDeps extends ListDeps {
  /** By which every answer reads: from a replica, or from `db`. */
  readonly read: Reads["run"];
  readonly caches: Caches;
  /** In the order in which they are listed. */
  readonly assets: readonly MarketAsset[];
  /** Whether the market is the local world's. */
  readonly simulated: boolean;
}

/** An answer, and whether it lacks what the database would have told. */
export interface PublicAnswer extends Omit<DataAnswer, "content"> {
  readonly finished: Finished;
  readonly degraded: boolean;
}

/** What of the totals is asked for; without a window as ever. */
interface TotalsQuestion {
  readonly days: number;
  readonly window?: Window<string> | undefined;
}

export type DataAnswers = ReturnType<typeof createDataAnswers>;

export function createDataAnswers(deps: DataDeps) {
  const { assets, now } = deps;
  const texts = textsOf(deps.simulated);
  const cache = createCache({
    caches: deps.caches,
    name: "data answers",
    now,
    lifetimeMs: LIFETIME_SECONDS * 1000,
    maxBytes: MAX_CACHE_BYTES,
  });
  const underlyings = new Set(assets.map(({ underlying }) => underlying));
  const shared: Shared = { ...deps, texts, cache, underlyings };
  return {
    /** @throws DatabaseUnavailable @param address lists that token alone */
    assets: (address: string | undefined, window?: TokenWindow) =>
      listAnswer(shared, ASSETS, address, window),
    /** @throws DatabaseUnavailable */
    scores: (address: string | undefined, window?: TokenWindow) =>
      listAnswer(shared, SCORES, address, window),
    /** @throws DatabaseUnavailable */
    latest: (query: LatestQuery) => latestAnswer(shared, query),
    /** @throws DatabaseUnavailable */
    premiumHistory: (wanted: TokenQuery, question: SeriesQuestion) => premiumAnswer(shared, wanted, question),
    overview: (question: TotalsQuestion) => overviewAnswer(shared, question),
    publicPremium: (wanted: TokenQuery, question: SeriesQuestion) =>
      publicPremiumAnswer(shared, wanted, question),
    /** @param venue of the perpetual; undefined: the first that has a series of the stock */
    basis: (stock: Stock, question: SeriesQuestion, venue: string | undefined) =>
      basisAnswer(shared, stock, question, venue),
  };
}

/** Its ticker, or the address of a token that stands for it. */
interface Stock {
  readonly ticker: string;
  readonly address: string | undefined;
}

/** Makes an answer from one server. */
function stored<D extends DataDeps, T extends string | Buffer>(
  deps: D,
  make: (from: D) => Promise<T>,
): Promise<T> {
  return deps.read((db) => make({ ...deps, db }));
}

/** What the answers have in common. */
interface Shared extends DataDeps {
  readonly texts: Texts;
  readonly cache: Cache;
  readonly underlyings: ReadonlySet<string>;
}

// Windows are without end, as are addresses and symbols of nothing: what they ask for is made anew each time.

async function listAnswer(
  shared: Shared,
  list: TokenList,
  address: string | undefined,
  window: TokenWindow | undefined,
): Promise<DataAnswer> {
  const { assets, cache, texts } = shared;
  const listed = address === undefined ? assets : findByAddress(assets, address);
  if (window !== undefined)
    return answerOf(await shared.read((db) => listWindow(list, { ...shared, db }, texts, listed, window)));
  const make = () => stored(shared, async (from) => list.text(texts, await list.rows(from, listed)));
  return keptAnswer(address === undefined ? await cache.get(list.dataset, make) : finish(await make()));
}

/** All tokens as JSON are asked for the most; other questions are without end. */
async function latestAnswer(shared: Shared, query: LatestQuery): Promise<DataAnswer> {
  const make = (from: ListDeps) => latestWritten(from, shared.texts.attribution, shared.assets, query);
  const { format, ...wanted } = query;
  if (format !== "json" || Object.values(wanted).some((value) => value !== undefined))
    return answerOf(await shared.read((db) => make({ ...shared, db })));
  return keptAnswer(
    await shared.cache.get("latest", () => stored(shared, async (from) => (await make(from)).text ?? "")),
  );
}

async function overviewAnswer(shared: Shared, { days, window }: TotalsQuestion): Promise<PublicAnswer> {
  const { assets, cache, texts } = shared;
  const { attribution } = texts;
  if (window === undefined)
    return orDegraded(
      cache.get(`overview ${days}`, () =>
        stored(shared, (from) => storedOverviewText(from, attribution, { days, assetCount: assets.length })),
      ),
      () => emptyOverviewText(attribution, days),
    );
  const question = { days, window };
  return windowOrDegraded(
    shared.read((db) => overviewWindow({ ...shared, db }, attribution, question, assets.length)),
    async () => emptyOverview(shared, attribution, question),
  );
}

async function premiumAnswer(
  shared: Shared,
  wanted: TokenQuery,
  { days, window, details }: SeriesQuestion,
): Promise<DataAnswer> {
  const { attribution } = shared.texts;
  const asset = findToken(shared.assets, wanted);
  const series = { symbol: symbolIn(wanted, asset), asset, days };
  if (window !== undefined || details !== undefined) {
    const envelope = premiumText.bind(null, attribution, series);
    const face = details === undefined ? KEYED_PREMIUM : detailedFace(KEYED_PREMIUM, details);
    return answerOf(
      await seriesAs(face, {
        ...premiumAsking(shared, series, { days, window: window ?? NO_WINDOW }),
        envelope,
        read: (range, limit) =>
          asset === undefined
            ? Promise.resolve([])
            : shared.read((db) => premiumHours(db, shared.assets, asset, details, range, limit)),
      }),
    );
  }
  if (!asset) return keptAnswer(finish(premiumText(attribution, series)));
  return keptAnswer(
    await tokenAnswer(shared, "premium", { ...series, asset }, async (from) =>
      premiumText(attribution, series, await premiumPointsText(from, asset.assetKey, days)),
    ),
  );
}

/** Details alone are asked of the hours that `days` says. */
const NO_WINDOW: Window<number> = {
  ...{ from: undefined, to: undefined, limit: undefined, after: undefined },
  format: "json",
};

function premiumHours(
  db: Database,
  assets: readonly MarketAsset[],
  asset: MarketAsset,
  details: Details | undefined,
  range: Range,
  limit: number,
): Promise<PremiumPoint[]> {
  if (details === undefined) return premiumPoints(db, asset.assetKey, range, limit);
  const series = premiumSeries(asset.assetKey);
  const tokens = tokensOf(assets, asset.underlying);
  return detailedHours(db, { series, details, tokens, point: premiumSaid }, range, limit);
}

const tokensOf = (assets: readonly MarketAsset[], underlying: string) =>
  assets.filter((asset) => asset.underlying === underlying);

async function publicPremiumAnswer(
  shared: Shared,
  wanted: TokenQuery,
  { days, window }: SeriesQuestion,
): Promise<PublicAnswer> {
  const { attribution } = shared.texts;
  const asset = findToken(shared.assets, wanted);
  const series = { symbol: symbolIn(wanted, asset), asset, days };
  if (window !== undefined) {
    const envelope = publicPremiumText.bind(null, attribution, series);
    const asking = { ...premiumAsking(shared, series, { days, window }), envelope };
    const empty = () => seriesAs(PUBLIC_PREMIUM, { ...asking, read: async () => [] });
    if (!asset) return whole(await empty());
    return windowOrDegraded(
      seriesAs(PUBLIC_PREMIUM, {
        ...asking,
        read: (range, limit) => shared.read((db) => premiumPoints(db, asset.assetKey, range, limit)),
      }),
      empty,
    );
  }
  const empty = () => publicPremiumText(attribution, series);
  if (!asset) return { finished: finish(empty()), degraded: false, next: null };
  const answer = tokenAnswer(shared, "public", { ...series, asset }, async (from) =>
    publicPremiumText(attribution, series, await publicPremiumPointsText(from, asset.assetKey, days)),
  );
  return orDegraded(answer, empty);
}

/** What is asked of a token's premium in a window. */
function premiumAsking(shared: Shared, { symbol, asset }: TokenSeries, question: Asked) {
  const { chain = null, address = null, underlying = null } = asset ?? {};
  return {
    question,
    now: secondsOf(shared),
    attribution: shared.texts.attribution,
    of: { symbol: asset?.symbol ?? symbol, chain, address, underlying },
  };
}

/** The answer repeats the symbol; a request by address receives it. */
const symbolIn = ({ symbol }: TokenQuery, asset: MarketAsset | undefined): string =>
  symbol === "" ? (asset?.symbol ?? "") : symbol;

/** An address may come with any other symbol, which the answer repeats: such answers are not kept. */
function tokenAnswer(
  shared: Shared,
  name: string,
  { symbol, asset, days }: { symbol: string; asset: MarketAsset; days: number },
  text: (from: Shared) => Promise<string>,
): Promise<Finished> {
  const make = () => stored(shared, text);
  return symbol === asset.symbol
    ? shared.cache.get(`${name} ${asset.assetKey} ${days}`, make)
    : make().then(finish);
}

async function basisAnswer(
  shared: Shared,
  { ticker, address }: Stock,
  { days, window: asked, details }: SeriesQuestion,
  venue: string | undefined,
): Promise<PublicAnswer> {
  const { assets, cache, texts, underlyings } = shared;
  const token = address === undefined ? undefined : findByAddress(assets, address)[0];
  const series = { underlying: token?.underlying ?? ticker, days, venue };
  const known = underlyings.has(series.underlying) && (venue === undefined || VENUE.test(venue));
  const window = asked ?? (details && NO_WINDOW);
  if (window !== undefined) {
    const question = { days, window, details };
    const empty = () => basisWindow(shared, question, series, []);
    return known
      ? windowOrDegraded(
          shared.read(async (db) => {
            const venues = await basisVenues(db, series.underlying);
            return basisWindow({ ...shared, db }, question, series, venues);
          }),
          empty,
        )
      : whole(await empty());
  }
  const empty = () => emptyBasisText(texts.attribution, series);
  if (!known) return { finished: finish(empty()), degraded: false, next: null };
  return orDegraded(
    cache.get(`basis ${series.underlying} ${days} ${venue ?? ""}`, () =>
      stored(shared, (from) => storedBasisText(from, texts.attribution, series)),
    ),
    empty,
  );
}

/** @param venues that have a series of the stock, the default first */
function basisWindow(
  deps: Shared,
  question: Asked,
  series: BasisSeries,
  venues: readonly string[],
): Promise<Written> {
  const { underlying } = series;
  const { attribution } = deps.texts;
  const venue = series.venue ?? venues[0];
  const { details } = question;
  return seriesAs(details === undefined ? BASIS : detailedFace(BASIS, details), {
    question,
    attribution,
    now: secondsOf(deps),
    of: { underlying, venue: venue ?? null },
    envelope: (points, more) => basisText(attribution, { ...series, venue }, points, venues, more),
    read: async (range, limit) => {
      // What no venue has is not asked for.
      if (venue === undefined || !venues.includes(venue)) return [];
      if (details === undefined) return basisPoints(deps.db, underlying, range, venue, limit);
      const tokens = tokensOf(deps.assets, underlying);
      const of = { series: basisSeries(venue, underlying), details, tokens, point: basisSaid };
      return detailedHours(deps.db, of, range, limit);
    },
  });
}

/** Public answers know no outage: they have less to say, and they do not keep anybody waiting. */
const orDegraded = (answer: Promise<Finished>, without: () => string): Promise<PublicAnswer> =>
  settled(
    answer.then((finished) => ({ finished, degraded: false, next: null })),
    () => ({ finished: finish(without()), degraded: true, next: null }),
  );

const windowOrDegraded = (answer: Promise<Written>, without: () => Promise<Written>) =>
  settled(answer.then(whole), async () => ({ ...whole(await without()), degraded: true }));

async function settled(
  answer: Promise<PublicAnswer>,
  without: () => PublicAnswer | Promise<PublicAnswer>,
): Promise<PublicAnswer> {
  const known = answer.catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error;
    return without();
  });
  return withinTime(known, PUBLIC_PATIENCE_MS, without);
}

/** @throws Error for an answer in pieces, which no public endpoint makes */
function whole({ text, contentType, next }: Written): PublicAnswer {
  if (text === undefined) throw new Error("a public answer has an end of its own");
  return { finished: finish(text), contentType, next, degraded: false };
}
