/** `/`: the market. Its figures are those of the public endpoints, and what /readyz tells everybody. */
import { Decimal } from "decimal.js";
import type { z } from "zod";
import { sessionAt } from "../../attestor/calendar.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { nullIfAway } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { type LiveVolume, liquidityScores, type MarketAsset } from "../../market/queries.ts";
import { latestPremiums } from "../../market/sampled.ts";
import {
  MARKET_SESSIONS,
  MARKET_SORTS,
  type MarketChoice,
  type MarketPage,
  type MarketRow,
} from "../../web/props.ts";
import type { DataAnswers, PublicAnswer } from "../data/answers.ts";
import { daysOf } from "../data/query.ts";
import type { OverviewAnswer, PublicPremiumAnswer } from "../data/schemas.ts";
import type { PageSpec } from "./page.ts";
import { tokenOf } from "./token.ts";

export interface MarketDeps {
  /** In the order in which they are listed. */
  readonly assets: readonly MarketAsset[];
  readonly simulated: boolean;
  readonly answers: DataAnswers;
  /** By asset key. @throws DatabaseUnavailable */
  readonly volumes: () => Promise<ReadonlyMap<string, LiveVolume>>;
  /** The service gives price and grade without a key, too. */
  readonly pricesAreOpen: boolean;
  readonly db: Database;
  now(): UnixMs;
}

/** Tokens on a page: what stays small with their lines. */
const TOKENS_A_PAGE = 40;
const MOST_PAGES = 1_000;
/** Days of the totals' charts. */
const TOTAL_DAYS = 90;
const WEEK_DAYS = 7;
/** So many are asked for at a time: a page must not have all of a database's connections. */
const AT_ONCE = 4;
const REPORT_HASH = /^0x[0-9a-f]{64}$/i;

export function marketPage(deps: MarketDeps): PageSpec<unknown, MarketChoice> {
  return {
    path: "/",
    name: "market",
    browsersAlone: true,
    query: (query) => choiceOf(query, deps.assets),
    async content({ query: choice }) {
      if (REPORT_HASH.test(choice.search)) return { redirect: `/reports/${choice.search.toLowerCase()}` };
      const { page, isDegraded } = await readMarket(deps, choice);
      return { page, isDegraded };
    },
  };
}

/** Accepts any query. */
function choiceOf(query: Readonly<Record<string, unknown>>, assets: readonly MarketAsset[]): MarketChoice {
  const among = <T extends string>(values: readonly T[], value: unknown): T | null =>
    values.find((one) => one === value) ?? null;
  const sort = among(MARKET_SORTS, query.sort);
  return {
    search: typeof query.q === "string" ? query.q.trim().slice(0, 200) : "",
    issuer: among(issuersOf(assets), query.issuer),
    chain: among(chainsOf(assets), query.chain),
    session: among(MARKET_SESSIONS, query.session),
    sort,
    // Names from the first letter, figures from the greatest.
    ascending: sort === "symbol" ? query.order !== "desc" : query.order === "asc",
    page: daysOf(query.page, MOST_PAGES, 1),
  };
}

const issuersOf = (assets: readonly MarketAsset[]) => [...new Set(assets.map(({ issuer }) => issuer))];
const chainsOf = (assets: readonly MarketAsset[]) => [...new Set(assets.map(({ chain }) => chain))];

async function readMarket(deps: MarketDeps, choice: MarketChoice) {
  const { assets, answers, simulated } = deps;
  const now = Math.floor(deps.now() / 1_000);
  const [answer, known] = await Promise.all([
    answers.overview({ days: TOTAL_DAYS }),
    deps.volumes().catch(nullIfAway),
  ]);
  const overview = parsed<z.infer<typeof OverviewAnswer>>(answer);
  const volumes: Volumes = known ?? new Map();
  const isAway = answer.degraded || known === null;
  const { shown, matching, isDegraded } = await readShown(deps, choice, volumes, isAway);
  const open = deps.pricesAreOpen ? await openFigures(deps.db, shown, now).catch(nullIfAway) : null;
  const { live } = overview;
  const page: MarketPage = {
    name: "market",
    now,
    choice: { ...choice, page: pageIn(choice.page, matching) },
    issuers: issuersOf(assets),
    chains: chainsOf(assets),
    session: simulated ? null : sessionAt(now),
    totals: live && {
      volumeUsd: figureOf(live.vol24Usd),
      liquidityUsd: figureOf(live.liquidityUsd),
      tokens: live.assetCount,
      withData: live.tokensWithDexData,
    },
    days: overview.series
      .filter(({ scope }) => scope === "all")
      .map(({ day, complete, vol, liq }) => ({
        day,
        // A day on which a token has no figure has no sum.
        volumeUsd: complete ? figureOf(vol) : null,
        liquidityUsd: complete ? figureOf(liq) : null,
      })),
    rows: shown.map((token) => ({
      ...rowOf(token, volumes, assets),
      ...(open?.get(token.asset.assetKey) ?? NOT_OPEN),
    })),
    pages: Math.ceil(matching / TOKENS_A_PAGE),
    hasPrices: deps.pricesAreOpen,
  };
  return { page, isDegraded };
}

const figureOf = (decimal: string | number | null): number | null =>
  decimal === null ? null : Number(decimal);

/** The page that is shown of so many tokens: one beyond the last is the last. */
const pageIn = (page: number, matching: number): number =>
  Math.min(page, Math.max(1, Math.ceil(matching / TOKENS_A_PAGE)));

type Volumes = ReadonlyMap<string, LiveVolume>;

const NOT_OPEN: OpenFigures = { priceUsd: null, grade: null };
type OpenFigures = Pick<MarketRow, "priceUsd" | "grade">;

/** By asset key. @throws DatabaseUnavailable */
async function openFigures(db: Database, shown: readonly TokenWeek[], now: number) {
  const keys = shown.map(({ asset }) => asset.assetKey);
  const [premiums, scores] = await Promise.all([latestPremiums(db, keys), liquidityScores(db, keys, now)]);
  return new Map(
    scores.map(({ assetKey, grade }): [string, OpenFigures] => [
      assetKey,
      { priceUsd: premiums.get(assetKey)?.sample.tokenPriceUsd ?? null, grade },
    ]),
  );
}

type Points = z.infer<typeof PublicPremiumAnswer>["points"];

interface TokenWeek {
  readonly asset: MarketAsset;
  /** Oldest first; hours without samples are absent. Null: the database did not tell. */
  readonly points: Points | null;
}

const newestIn = (points: Points | null) => points?.findLast(({ premium }) => premium !== null) ?? null;

/** The tokens of a page. The weeks of all are read only where they say which are shown, or in which order. */
async function readShown(deps: MarketDeps, choice: MarketChoice, volumes: Volumes, isAway: boolean) {
  const { answers, assets } = deps;
  const listed = assets.filter((asset) => isWanted(asset, choice));
  if (choice.sort !== "premium" && choice.session === null) {
    const order = sorted(listed, choice, (asset) => volumeOf(asset, choice, volumes));
    const { tokens, isDegraded } = await weeksOf(answers, cutTo(order, choice), isAway);
    return { shown: tokens, matching: listed.length, isDegraded };
  }
  const { tokens, isDegraded } = await weeksOf(answers, listed, isAway);
  const isInSession = ({ points }: TokenWeek) =>
    choice.session === null || newestIn(points)?.session === choice.session;
  // Which session a token is in is not known while the database is away: none is left out then.
  const matching = isDegraded ? tokens : tokens.filter(isInSession);
  const byAsset = new Map(matching.map((token) => [token.asset, token]));
  const order = sorted([...byAsset.keys()], choice, (asset) => {
    if (choice.sort !== "premium") return volumeOf(asset, choice, volumes);
    const premium = newestIn(byAsset.get(asset)?.points ?? null)?.premium ?? null;
    return premium === null ? null : String(premium);
  });
  const shown = cutTo(order, choice).flatMap((asset) => byAsset.get(asset) ?? []);
  return { shown, matching: matching.length, isDegraded };
}

function isWanted(asset: MarketAsset, { search, issuer, chain }: MarketChoice): boolean {
  if (issuer !== null && asset.issuer !== issuer) return false;
  if (chain !== null && asset.chain !== chain) return false;
  const { symbol, underlying, nameEn, nameCn, address } = asset;
  const text = [symbol, underlying, nameEn, nameCn, address].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function cutTo<T>(all: readonly T[], { page }: MarketChoice): T[] {
  const from = (pageIn(page, all.length) - 1) * TOKENS_A_PAGE;
  return all.slice(from, from + TOKENS_A_PAGE);
}

function volumeOf({ assetKey }: MarketAsset, { sort }: MarketChoice, volumes: Volumes): string | null {
  const volume = volumes.get(assetKey);
  return (sort === "volume" ? volume?.volume24hUsd : volume?.liquidityUsd) ?? null;
}

/** Figures that are not known come last, whichever way. @param decimal decimal text of a token's figure */
function sorted(
  assets: readonly MarketAsset[],
  { sort, ascending }: MarketChoice,
  decimal: (asset: MarketAsset) => string | null,
): MarketAsset[] {
  const way = ascending ? 1 : -1;
  if (sort === null) return [...assets];
  if (sort === "symbol") return assets.toSorted((one, other) => way * compare(one.symbol, other.symbol));
  const figures = new Map(assets.map((asset) => [asset, decimal(asset)]));
  return assets.toSorted((one, other) => {
    const [left = null, right = null] = [figures.get(one), figures.get(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return way * new Decimal(left).comparedTo(right);
  });
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** @param isAway who waits for a database that is away waits once, not once for each token */
async function weeksOf(answers: DataAnswers, assets: readonly MarketAsset[], isAway: boolean) {
  const tokens: TokenWeek[] = [];
  let isDegraded = isAway;
  for (let from = 0; from < assets.length; from += AT_ONCE) {
    const some = assets.slice(from, from + AT_ONCE);
    const asked = isDegraded ? [] : some.map((asset) => answers.publicPremium(asset, { days: WEEK_DAYS }));
    const weeks = await Promise.all(asked);
    for (const [index, asset] of some.entries()) {
      const week = weeks[index];
      const isKnown = week !== undefined && !week.degraded;
      if (!isKnown) isDegraded = true;
      tokens.push({ asset, points: isKnown ? parsed<{ points: Points }>(week).points : null });
    }
  }
  return { tokens, isDegraded };
}

/** Sound, since the text is our own, and its schema is what OpenAPI documents. */
const parsed = <T>({ finished }: PublicAnswer): T => JSON.parse(finished.bytes.toString("utf8")) as T;

function rowOf(
  { asset, points }: TokenWeek,
  volumes: Volumes,
  assets: readonly MarketAsset[],
): Omit<MarketRow, keyof OpenFigures> {
  const newest = newestIn(points);
  const volume = volumes.get(asset.assetKey);
  const lows = (points ?? []).flatMap(({ lo }) => lo ?? []);
  const highs = (points ?? []).flatMap(({ hi }) => hi ?? []);
  return {
    token: tokenOf(asset, assets),
    newest: newest && {
      hour: newest.t,
      premium: newest.premium ?? 0,
      state: newest.state,
      spread: newest.spread_bps,
      halted: newest.halted,
      source: newest.source,
      session: newest.session,
    },
    week: points === null ? null : points.map(({ t, premium }) => [t, premium] as const),
    low: lows.length === 0 ? null : Math.min(...lows),
    high: highs.length === 0 ? null : Math.max(...highs),
    liquidityUsd: figureOf(volume?.liquidityUsd ?? null),
    volumeUsd: figureOf(volume?.volume24hUsd ?? null),
  };
}
