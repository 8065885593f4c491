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
import { emptyOverview, type OverviewQuestion, overviewWritten } from "./overviewPages.ts";
import { type Details, isPlain, type SeriesQuestion, seriesAs } from "./seriesPages.ts";
import {
  type BasisSeries,
  basisText,
  type More,
  premiumText,
  publicPremiumText,
  secondsOf,
} from "./seriesTexts.ts";
import { type Texts, textsOf } from "./texts.ts";
import { answerOf, type DataAnswer, keptAnswer, type Written } from "./written.ts";

export const LIFETIME_SECONDS = 30;
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
    overview: (question: OverviewQuestion) => overviewAnswer(shared, question),
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

interface Shared extends DataDeps {
  readonly texts: Texts;
  readonly cache: Cache;
  readonly underlyings: ReadonlySet<string>;
}

/**
 * A whole answer. It is kept under its name; null: what it asks for is without end, as windows, addresses and symbols of
 * nothing are, so that it is made anew each time. All of it is read from one server.
 */
function keptAs(
  { cache, read }: Shared,
  name: string | null,
  make: (db: Database) => Promise<Written>,
): Promise<Finished> {
  const text = async () => textOf(await read(make));
  return name === null ? text().then((made) => finish(made)) : cache.get(name, text);
}

/** @throws Error for an answer in pieces */
function textOf({ text }: Written): string | Buffer {
  if (text === undefined) throw new Error("this answer has an end of its own");
  return text;
}

async function listAnswer(
  shared: Shared,
  list: TokenList,
  address: string | undefined,
  window: TokenWindow | undefined,
): Promise<DataAnswer> {
  const { assets, texts } = shared;
  const listed = address === undefined ? assets : findByAddress(assets, address);
  if (window !== undefined)
    return answerOf(await shared.read((db) => listWindow(list, { ...shared, db }, texts, listed, window)));
  return keptAnswer(
    await keptAs(shared, address === undefined ? list.dataset : null, async (db) => ({
      text: list.text(texts, await list.rows({ ...shared, db }, listed)),
      next: null,
    })),
  );
}

/** All tokens as JSON are asked for the most; other questions are without end. */
async function latestAnswer(shared: Shared, query: LatestQuery): Promise<DataAnswer> {
  const make = (db: Database) =>
    latestWritten({ ...shared, db }, shared.texts.attribution, shared.assets, query);
  const { format, ...wanted } = query;
  if (format !== "json" || Object.values(wanted).some((value) => value !== undefined))
    return answerOf(await shared.read(make));
  return keptAnswer(await keptAs(shared, "latest", make));
}

async function overviewAnswer(shared: Shared, question: OverviewQuestion): Promise<PublicAnswer> {
  const { attribution } = shared.texts;
  const make = (db: Database) =>
    overviewWritten({ ...shared, db }, attribution, question, shared.assets.length);
  return orDegraded(
    question.window === undefined
      ? keptAs(shared, `overview ${question.days}`, make).then(keptWhole)
      : shared.read(make).then(whole),
    async () => emptyOverview(shared, attribution, question),
  );
}

async function premiumAnswer(
  shared: Shared,
  wanted: TokenQuery,
  question: SeriesQuestion,
): Promise<DataAnswer> {
  const { details } = question;
  const { asset, name, asking } = premiumAsking(shared, wanted, question, premiumText);
  const face = details === undefined ? KEYED_PREMIUM : detailedFace(KEYED_PREMIUM, details);
  const read = (db: Database, range: Range, limit: number) =>
    asset === undefined ? [] : premiumHours(db, shared.assets, asset, details, range, limit);
  if (isPlain(question))
    return keptAnswer(
      await keptAs(shared, name && `premium ${name}`, (db) =>
        seriesAs(face, { ...asking, read: async (range, limit) => read(db, range, limit) }),
      ),
    );
  // A list that is written piece by piece asks a server for each.
  const each = async (range: Range, limit: number) =>
    asset === undefined ? [] : shared.read(async (db) => read(db, range, limit));
  return answerOf(await seriesAs(face, { ...asking, read: each }));
}

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
  question: SeriesQuestion,
): Promise<PublicAnswer> {
  const { asset, name, asking } = premiumAsking(shared, wanted, question, publicPremiumText);
  const empty = () => seriesAs(PUBLIC_PREMIUM, { ...asking, read: async () => [] });
  if (!asset) return whole(await empty());
  const make = (db: Database) =>
    seriesAs(PUBLIC_PREMIUM, {
      ...asking,
      read: (range, limit) => premiumPoints(db, asset.assetKey, range, limit),
    });
  const answer = isPlain(question)
    ? keptAs(shared, name && `public ${name}`, make).then(keptWhole)
    : shared.read(make).then(whole);
  return orDegraded(answer, empty);
}

/**
 * What is asked of a token's premium, and the name under which that is kept. The answer repeats the symbol that was asked
 * for; a request by address receives it, and may come with any other, so that such answers are not kept.
 */
function premiumAsking(
  { assets, texts: { attribution }, now }: Shared,
  wanted: TokenQuery,
  question: SeriesQuestion,
  textOf: typeof premiumText,
) {
  const asset = findToken(assets, wanted);
  const symbol = wanted.symbol === "" ? (asset?.symbol ?? "") : wanted.symbol;
  const { days } = question;
  const { chain = null, address = null, underlying = null } = asset ?? {};
  return {
    asset,
    name: symbol === asset?.symbol ? `${asset.assetKey} ${days}` : null,
    asking: {
      ...{ question, attribution, now: secondsOf({ now }) },
      of: { symbol: asset?.symbol ?? symbol, chain, address, underlying },
      envelope: (points: string, more: More) => textOf(attribution, { symbol, asset, days }, points, more),
    },
  };
}

async function basisAnswer(
  shared: Shared,
  { ticker, address }: Stock,
  question: SeriesQuestion,
  venue: string | undefined,
): Promise<PublicAnswer> {
  const { assets, underlyings } = shared;
  const { days } = question;
  const token = address === undefined ? undefined : findByAddress(assets, address)[0];
  const series = { underlying: token?.underlying ?? ticker, days, venue };
  const empty = () => basisWritten(shared, question, series, []);
  const isKnown = underlyings.has(series.underlying) && (venue === undefined || VENUE.test(venue));
  if (!isKnown) return whole(await empty());
  const make = async (db: Database) =>
    basisWritten({ ...shared, db }, question, series, await basisVenues(db, series.underlying));
  const name = `basis ${series.underlying} ${days} ${venue ?? ""}`;
  const answer = isPlain(question)
    ? keptAs(shared, name, make).then(keptWhole)
    : shared.read(make).then(whole);
  return orDegraded(answer, empty);
}

/** @param venues that have a series of the stock, the default first */
function basisWritten(
  deps: Shared,
  question: SeriesQuestion,
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
function orDegraded(answer: Promise<PublicAnswer>, without: () => Promise<Written>): Promise<PublicAnswer> {
  const less = async () => ({ ...whole(await without()), degraded: true });
  const known = answer.catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error;
    return less();
  });
  return withinTime(known, PUBLIC_PATIENCE_MS, less);
}

const keptWhole = (finished: Finished): PublicAnswer => ({ finished, degraded: false, next: null });

function whole(written: Written): PublicAnswer {
  const { contentType, next } = written;
  return { finished: finish(textOf(written)), contentType, next, degraded: false };
}
