/** Read this first: the six answers of the data API, each asked of the market once and then kept for a while. */
import { isDatabaseUnavailable } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import {
  basisPoints,
  basisVenues,
  dailyTotals,
  liquidityScores,
  liveTotals,
  type MarketAsset,
  premiumPoints,
} from "../../market/queries.ts";
import { gradeOf } from "../../market/series/liquidity.ts";
import { createCache, type Finished, finish } from "../http/cache.ts";
import { withinTime } from "../http/deadline.ts";
import {
  array,
  basisHistory,
  dateTime,
  daySeries,
  number,
  object,
  premiumHistory,
  publicPremium,
} from "./json.ts";
import { findByAddress, findToken, type TokenQuery } from "./listing.ts";
import { hoursBack } from "./range.ts";
import { textsOf } from "./texts.ts";

export const LIFETIME_SECONDS = 30;
/** How long a public answer waits for the database. */
const PUBLIC_PATIENCE_MS = 1_000;
/** The longest series, 90 days, takes about 300 KB. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;

/** Names of venues are few; what is none is not kept. */
const VENUE = /^[a-z]{1,20}$/;

const DAY = 86_400;

export interface DataDeps {
  readonly db: Database;
  /** In the order in which they are listed. */
  readonly assets: readonly MarketAsset[];
  /** Whether the market is the local world's. */
  readonly simulated: boolean;
  /** Why an asset cannot have a premium with the keys that there are; null: it can. Absent: all can. */
  readonly unpricedReason?: (asset: MarketAsset) => string | null;
  /** Unix milliseconds. */
  now(): number;
}

/** An answer, and whether it lacks what the database would have told. */
export interface PublicAnswer {
  readonly finished: Finished;
  readonly degraded: boolean;
}

export interface DataAnswers {
  /** @throws DatabaseUnavailable @param address lists that token alone */
  assets(address: string | undefined): Promise<Finished>;
  /** @throws DatabaseUnavailable */
  scores(address: string | undefined): Promise<Finished>;
  /** @throws DatabaseUnavailable */
  premiumHistory(wanted: TokenQuery, days: number): Promise<Finished>;
  overview(days: number): Promise<PublicAnswer>;
  publicPremium(wanted: TokenQuery, days: number): Promise<PublicAnswer>;
  /**
   * @param stock its ticker, or the address of a token that stands for it
   * @param venue of the perpetual; undefined: the first that has a series of the stock
   */
  basis(
    stock: { readonly ticker: string; readonly address: string | undefined },
    days: number,
    venue: string | undefined,
  ): Promise<PublicAnswer>;
}

export function createDataAnswers({ db, assets, simulated, unpricedReason, now }: DataDeps): DataAnswers {
  const { attribution, methodology } = textsOf(simulated);
  const cache = createCache({ now, lifetimeMs: LIFETIME_SECONDS * 1000, maxBytes: MAX_CACHE_BYTES });
  const seconds = () => Math.floor(now() / 1000);
  const underlyings = new Set(assets.map(({ underlying }) => underlying));

  const hoursOf = (days: number) => hoursBack(days, seconds());

  async function assetsText(address: string | undefined): Promise<string> {
    const listed = address === undefined ? assets : findByAddress(assets, address);
    const scores = await liquidityScores(
      db,
      listed.map(({ assetKey }) => assetKey),
      seconds(),
    );
    return JSON.stringify({
      attribution,
      count: listed.length,
      assets: listed.map((asset, index) => ({
        symbol: asset.symbol,
        underlying: asset.underlying,
        name_en: asset.nameEn,
        name_cn: asset.nameCn,
        issuer: asset.issuer,
        chain: asset.chain,
        address: asset.address,
        tags: asset.tags,
        grade: scores[index]?.grade ?? null,
        decimals: asset.decimals,
        asset_key: asset.assetKey,
        address_confidence: asset.confidence ?? "high",
        unpriced_reason: unpricedReason?.(asset) ?? null,
      })),
    });
  }

  async function scoresText(address: string | undefined): Promise<string> {
    const listed = address === undefined ? assets : findByAddress(assets, address);
    const scores = await liquidityScores(
      db,
      listed.map(({ assetKey }) => assetKey),
      seconds(),
    );
    const rows = scores.flatMap((score, index) => {
      const asset = listed[index];
      // An asset without samples has no score yet.
      if (!asset || score.updatedAt === null) return [];
      return object([
        ["symbol", JSON.stringify(asset.symbol)],
        ["grade", JSON.stringify(gradeOf(score.impact10kBps))],
        ["impact_1k_bps", number(score.impact1kBps)],
        ["impact_10k_bps", number(score.impact10kBps)],
        ["sample_n", String(score.sampleN)],
        ["updated_at", JSON.stringify(dateTime(score.updatedAt))],
        ["chain", JSON.stringify(asset.chain)],
        ["address", JSON.stringify(asset.address)],
        ["source", JSON.stringify(score.source)],
      ]);
    });
    return object([
      ["attribution", JSON.stringify(attribution)],
      ["methodology", JSON.stringify(methodology)],
      ["scores", array(rows)],
    ]);
  }

  const premiumText = (symbol: string, asset: MarketAsset | undefined, days: number, points: string) =>
    object([
      ["attribution", JSON.stringify(attribution)],
      ["symbol", JSON.stringify(symbol)],
      ["days", String(days)],
      ["points", points],
      ["chain", JSON.stringify(asset?.chain ?? null)],
      ["address", JSON.stringify(asset?.address ?? null)],
    ]);

  const publicPremiumText = (symbol: string, asset: MarketAsset | undefined, days: number, points: string) =>
    object([
      ["symbol", JSON.stringify(symbol)],
      ["days", String(days)],
      ["points", points],
      ["chain", JSON.stringify(asset?.chain ?? null)],
      ["address", JSON.stringify(asset?.address ?? null)],
      ["attribution", JSON.stringify(attribution)],
    ]);

  const basisText = (
    underlying: string,
    days: number,
    points: string,
    venue: string | null,
    venues: string[],
  ) =>
    object([
      ["underlying", JSON.stringify(underlying)],
      ["days", String(days)],
      ["points", points],
      ["venue", JSON.stringify(venue)],
      ["venues", JSON.stringify(venues)],
      ["attribution", JSON.stringify(attribution)],
    ]);

  const overviewText = (days: number, series: string, live: string) =>
    object([
      ["days", String(days)],
      ["series", series],
      ["live", live],
      ["attribution", JSON.stringify(attribution)],
    ]);

  async function fullOverview(days: number): Promise<string> {
    const at = seconds();
    const [totals, live] = await Promise.all([
      // The newest snapshot is that of the day which ended last.
      dailyTotals(db, dayOf(at - days * DAY), dayOf(at - DAY)),
      liveTotals(db, at),
    ]);
    const liveText = object([
      ["vol24Usd", number(live.volume24hUsd)],
      ["liquidityUsd", number(live.liquidityUsd)],
      ["assetCount", String(assets.length)],
      ["tokensWithDexData", String(live.tokensWithDexData)],
    ]);
    return overviewText(days, daySeries(totals), liveText);
  }

  async function fullBasis(underlying: string, days: number, wanted: string | undefined): Promise<string> {
    const venues = await basisVenues(db, underlying);
    const venue = wanted ?? venues[0];
    // What no venue has is not asked for.
    const points =
      venue !== undefined && venues.includes(venue)
        ? await basisPoints(db, underlying, hoursOf(days), venue)
        : [];
    return basisText(underlying, days, basisHistory(points), venue ?? null, venues);
  }

  /** An address may come with any other symbol, which the answer repeats: such answers are not kept. */
  const cached = (key: string, keep: boolean, make: () => Promise<string>) =>
    keep ? cache.get(key, make) : make().then(finish);

  return {
    assets: (address) =>
      address === undefined
        ? cache.get("assets", () => assetsText(undefined))
        : assetsText(address).then(finish),

    scores: (address) =>
      address === undefined
        ? cache.get("scores", () => scoresText(undefined))
        : scoresText(address).then(finish),

    // What nobody lists is answered without the database and not kept: names of nothing are without end.
    async premiumHistory(wanted, days) {
      const asset = findToken(assets, wanted);
      if (!asset) return finish(premiumText(wanted.symbol, undefined, days, "[]"));
      // The answer repeats the symbol; who asks by address alone is told it.
      const symbol = wanted.symbol === "" ? asset.symbol : wanted.symbol;
      return cached(`premium ${asset.assetKey} ${days}`, symbol === asset.symbol, async () =>
        premiumText(
          symbol,
          asset,
          days,
          premiumHistory(await premiumPoints(db, asset.assetKey, hoursOf(days))),
        ),
      );
    },

    overview: (days) =>
      orDegraded(
        cache.get(`overview ${days}`, () => fullOverview(days)),
        () => overviewText(days, "[]", "null"),
      ),

    async publicPremium(wanted, days) {
      const asset = findToken(assets, wanted);
      const symbol = wanted.symbol === "" ? (asset?.symbol ?? "") : wanted.symbol;
      const empty = () => publicPremiumText(symbol, asset, days, "[]");
      if (!asset) return { finished: finish(empty()), degraded: false };
      return orDegraded(
        cached(`public ${asset.assetKey} ${days}`, symbol === asset.symbol, async () =>
          publicPremiumText(
            symbol,
            asset,
            days,
            publicPremium(await premiumPoints(db, asset.assetKey, hoursOf(days))),
          ),
        ),
        empty,
      );
    },

    async basis({ ticker, address }, days, venue) {
      const token = address === undefined ? undefined : findByAddress(assets, address)[0];
      const underlying = token?.underlying ?? ticker;
      const empty = () => basisText(underlying, days, "[]", venue ?? null, []);
      const known = venue === undefined || VENUE.test(venue);
      if (!underlyings.has(underlying) || !known) return { finished: finish(empty()), degraded: false };
      return orDegraded(
        cache.get(`basis ${underlying} ${days} ${venue ?? ""}`, () => fullBasis(underlying, days, venue)),
        empty,
      );
    },
  };
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

/** YYYY-MM-DD of a unix second. */
function dayOf(seconds: number): string {
  return dateTime(seconds).slice(0, 10);
}
