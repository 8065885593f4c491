/** Read this first: the six answers of the data API, each asked of the market once and then kept for a while. */
import type { Caches } from "../../chain/caches.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import { basisPoints, basisVenues, type MarketAsset, premiumPoints } from "../../market/queries.ts";
import { type Cache, createCache } from "../http/cache.ts";
import { withinTime } from "../http/deadline.ts";
import { nextTurn } from "../http/turns.ts";
import { BASIS, KEYED_PREMIUM, PUBLIC_PREMIUM } from "./datasets.ts";
import { basesWithInputs, premiumsWithInputs } from "./inputs.ts";
import { type LatestQuery, latestText } from "./latest.ts";
import { findByAddress, findToken, type TokenQuery } from "./listing.ts";
import { ASSETS, type ListDeps, SCORES, type TokenList } from "./listTexts.ts";
import { emptyOverview, overviewWritten } from "./overview.ts";
import { isPlain, type SeriesQuestion, writeSeries } from "./seriesAnswers.ts";
import {
  type BasisSeries,
  basisText,
  type More,
  premiumText,
  publicPremiumText,
  secondsOf,
} from "./seriesTexts.ts";
import { type Texts, textsOf } from "./texts.ts";
import type { HistoryQuestion } from "./windows.ts";
import { answerOf, type DataAnswer, type Written } from "./written.ts";

export const LIFETIME_SECONDS = 30;
const PUBLIC_PATIENCE_MS = 1_000;
/** The longest series, 90 days, takes about 300 KB. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

/** Names of venues are few; what is none is not kept. */
const VENUE = /^[a-z]{1,20}$/;

export interface DataDeps extends ListDeps {
  readonly caches: Caches;
  /** In the order in which they are listed. */
  readonly assets: readonly MarketAsset[];
  /** Whether the market is the local world's. */
  readonly simulated: boolean;
}

/** An answer, and whether the database was away, so that it has no figures. */
export interface PublicAnswer extends DataAnswer {
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
    now,
    /** @throws DatabaseUnavailable @param address lists that token alone */
    assets: (address: string | undefined) => listAnswer(shared, ASSETS, address),
    /** @throws DatabaseUnavailable */
    scores: (address: string | undefined) => listAnswer(shared, SCORES, address),
    /** @throws DatabaseUnavailable */
    latest: (query: LatestQuery) => latestAnswer(shared, query),
    /** @throws Problem `window_too_old`; DatabaseUnavailable */
    premiumHistory: (wanted: TokenQuery, question: SeriesQuestion) => premiumAnswer(shared, wanted, question),
    overview: (question: HistoryQuestion) => overviewAnswer(shared, question),
    publicPremium: (wanted: TokenQuery, question: SeriesQuestion) =>
      publicPremiumAnswer(shared, wanted, question),
    /**
     * @param venue of the perpetual; undefined: the first that has a series of the stock
     * @throws Problem as `premiumHistory`, where inputs are asked for
     */
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
 * An answer that is kept under its name; null: what it asks for is without end, as windows, addresses and symbols of
 * nothing are, so that it is made anew each time.
 */
async function keptAs(
  { cache }: Shared,
  name: string | null,
  make: () => Promise<Written>,
): Promise<DataAnswer> {
  const made = async () => {
    await nextTurn();
    const written = await make();
    // To hash a long answer is work as well.
    await nextTurn();
    return written;
  };
  if (name === null) return answerOf(await made());
  return { finished: await cache.get(name, async () => (await made()).text) };
}

async function listAnswer(shared: Shared, list: TokenList, address: string | undefined): Promise<DataAnswer> {
  const { assets, texts } = shared;
  const listed = address === undefined ? assets : findByAddress(assets, address);
  return keptAs(shared, address === undefined ? list.name : null, async () => ({
    text: await list.text(texts, shared, listed),
  }));
}

/** All tokens are asked for the most; other questions are without end. */
async function latestAnswer(shared: Shared, query: LatestQuery): Promise<DataAnswer> {
  const isAll = Object.values(query).every((value) => value === undefined);
  return keptAs(shared, isAll ? "latest" : null, async () => ({
    text: await latestText(shared, shared.texts.attribution, shared.assets, query),
  }));
}

async function overviewAnswer(shared: Shared, question: HistoryQuestion): Promise<PublicAnswer> {
  const { attribution } = shared.texts;
  const name = question.window === undefined ? `overview ${question.days}` : null;
  return orDegraded(
    keptAs(shared, name, () => overviewWritten(shared, attribution, question, shared.assets.length)),
    async () => emptyOverview(shared, attribution, question),
  );
}

async function premiumAnswer(
  shared: Shared,
  wanted: TokenQuery,
  question: SeriesQuestion,
): Promise<DataAnswer> {
  const { asset, name, asking } = premiumAsking(shared, wanted, question, premiumText);
  return keptAs(shared, isPlain(question) ? name && `premium ${name}` : null, () =>
    writeSeries(KEYED_PREMIUM, {
      ...asking,
      read: async (range) => {
        if (asset === undefined) return { points: [] };
        if (question.inputs) return premiumsWithInputs(shared.db, asset, range);
        return { points: await premiumPoints(shared.db, asset.assetKey, range) };
      },
    }),
  );
}

async function publicPremiumAnswer(
  shared: Shared,
  wanted: TokenQuery,
  question: SeriesQuestion,
): Promise<PublicAnswer> {
  const { asset, name, asking } = premiumAsking(shared, wanted, question, publicPremiumText);
  const empty = () => writeSeries(PUBLIC_PREMIUM, { ...asking, read: async () => ({ points: [] }) });
  if (!asset) return { ...answerOf(await empty()), degraded: false };
  const answer = keptAs(shared, isPlain(question) ? name && `public ${name}` : null, () =>
    writeSeries(PUBLIC_PREMIUM, {
      ...asking,
      read: async (range) => ({ points: await premiumPoints(shared.db, asset.assetKey, range) }),
    }),
  );
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
      question,
      attribution,
      now: secondsOf({ now }),
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
  if (!isKnown) return { ...answerOf(await empty()), degraded: false };
  const name = isPlain(question) ? `basis ${series.underlying} ${days} ${venue ?? ""}` : null;
  const answer = keptAs(shared, name, async () =>
    basisWritten(shared, question, series, await basisVenues(shared.db, series.underlying)),
  );
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
  return writeSeries(BASIS, {
    question,
    attribution,
    now: secondsOf(deps),
    of: { underlying, venue: venue ?? null },
    envelope: (points, more) => basisText(attribution, { ...series, venue }, points, venues, more),
    read: async (range) => {
      // What no venue has is not asked for.
      if (venue === undefined || !venues.includes(venue)) return { points: [] };
      if (question.inputs) return basesWithInputs(deps.db, underlying, range, venue);
      return { points: await basisPoints(deps.db, underlying, range, venue) };
    },
  });
}

/** Public answers know no outage: they have less to say, and they do not keep anybody waiting. */
function orDegraded(answer: Promise<DataAnswer>, without: () => Promise<Written>): Promise<PublicAnswer> {
  const less = async () => ({ ...answerOf(await without()), degraded: true });
  const answerWithMark = answer.then(
    (whole) => ({ ...whole, degraded: false }),
    (error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return less();
    },
  );
  return withinTime(answerWithMark, PUBLIC_PATIENCE_MS, less);
}
