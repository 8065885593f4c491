/** Read this first: the six answers of the data API, each asked of the market once and then kept for a while. */
import type { Caches } from "../../chain/caches.ts";
import { isDatabaseUnavailable } from "../../database/databaseErrors.ts";
import type { Reads } from "../../database/replica/reads.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { type Cache, createCache, type Finished, finish } from "../http/cache.ts";
import { withinTime } from "../http/deadline.ts";
import { findByAddress, findToken, type TokenQuery } from "./listing.ts";
import { assetsText, type ListDeps, scoresText } from "./listTexts.ts";
import {
  emptyBasisText,
  emptyOverviewText,
  premiumPointsText,
  premiumText,
  publicPremiumPointsText,
  publicPremiumText,
  storedBasisText,
  storedOverviewText,
} from "./seriesTexts.ts";
import { type Texts, textsOf } from "./texts.ts";

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
export interface PublicAnswer {
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
    assets: (address: string | undefined) => listAnswer(shared, "assets", assetsText, address),
    /** @throws DatabaseUnavailable */
    scores: (address: string | undefined) => listAnswer(shared, "scores", scoresText, address),
    /** @throws DatabaseUnavailable */
    premiumHistory: (wanted: TokenQuery, days: number) => premiumAnswer(shared, wanted, days),
    overview: (days: number) =>
      orDegraded(
        cache.get(`overview ${days}`, () =>
          stored(deps, (from) =>
            storedOverviewText(from, texts.attribution, { days, assetCount: assets.length }),
          ),
        ),
        () => emptyOverviewText(texts.attribution, days),
      ),
    publicPremium: (wanted: TokenQuery, days: number) => publicPremiumAnswer(shared, wanted, days),
    /**
     * @param stock its ticker, or the address of a token that stands for it
     * @param venue of the perpetual; undefined: the first that has a series of the stock
     */
    basis: (
      stock: { readonly ticker: string; readonly address: string | undefined },
      days: number,
      venue: string | undefined,
    ) => basisAnswer(shared, stock, days, venue),
  };
}

/** Makes an answer from one server. */
function stored<D extends DataDeps>(deps: D, make: (from: D) => Promise<string>): Promise<string> {
  return deps.read((db) => make({ ...deps, db }));
}

/** What the answers have in common. */
interface Shared extends DataDeps {
  readonly texts: Texts;
  readonly cache: Cache;
  readonly underlyings: ReadonlySet<string>;
}

/** Lists of one token are made anew each time: addresses of nothing are without end. */
function listAnswer(
  shared: Shared,
  name: string,
  text: typeof assetsText,
  address: string | undefined,
): Promise<Finished> {
  const { assets, cache, texts } = shared;
  return address === undefined
    ? cache.get(name, () => stored(shared, (from) => text(from, texts, assets)))
    : stored(shared, (from) => text(from, texts, findByAddress(assets, address))).then(finish);
}

/** What nobody lists is answered without the database and not kept: names of nothing are without end. */
async function premiumAnswer(shared: Shared, wanted: TokenQuery, days: number): Promise<Finished> {
  const { attribution } = shared.texts;
  const asset = findToken(shared.assets, wanted);
  if (!asset) return finish(premiumText(attribution, { symbol: wanted.symbol, asset, days }));
  const series = { symbol: symbolIn(wanted, asset), asset, days };
  return tokenAnswer(shared, "premium", { ...series, asset }, async (from) =>
    premiumText(attribution, series, await premiumPointsText(from, asset.assetKey, days)),
  );
}

async function publicPremiumAnswer(shared: Shared, wanted: TokenQuery, days: number): Promise<PublicAnswer> {
  const { attribution } = shared.texts;
  const asset = findToken(shared.assets, wanted);
  const series = { symbol: symbolIn(wanted, asset), asset, days };
  const empty = () => publicPremiumText(attribution, series);
  if (!asset) return { finished: finish(empty()), degraded: false };
  const answer = tokenAnswer(shared, "public", { ...series, asset }, async (from) =>
    publicPremiumText(attribution, series, await publicPremiumPointsText(from, asset.assetKey, days)),
  );
  return orDegraded(answer, empty);
}

/** The answer repeats the symbol; who asks by address alone is told it. */
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
  { ticker, address }: Parameters<DataAnswers["basis"]>[0],
  days: number,
  venue: string | undefined,
): Promise<PublicAnswer> {
  const { assets, cache, texts, underlyings } = shared;
  const token = address === undefined ? undefined : findByAddress(assets, address)[0];
  const series = { underlying: token?.underlying ?? ticker, days, venue };
  const empty = () => emptyBasisText(texts.attribution, series);
  const known = venue === undefined || VENUE.test(venue);
  if (!underlyings.has(series.underlying) || !known) return { finished: finish(empty()), degraded: false };
  return orDegraded(
    cache.get(`basis ${series.underlying} ${days} ${venue ?? ""}`, () =>
      stored(shared, (from) => storedBasisText(from, texts.attribution, series)),
    ),
    empty,
  );
}

/** Public answers know no outage: they have less to say, and they do not keep anybody waiting. */
async function orDegraded(answer: Promise<Finished>, without: () => string): Promise<PublicAnswer> {
  const degraded = () => ({ finished: finish(without()), degraded: true });
  const whole = answer.then(
    (finished) => ({ finished, degraded: false }),
    (error: unknown) => {
      if (!isDatabaseUnavailable(error)) throw error;
      return degraded();
    },
  );
  return withinTime(whole, PUBLIC_PATIENCE_MS, degraded);
}
