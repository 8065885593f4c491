/** `/tokens/<symbol>`: one token over time. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import {
  type BasisPoint,
  basisPoints,
  basisVenues,
  type MarketAsset,
  type PremiumPoint,
  premiumPoints,
} from "../../market/queries.ts";
import type { Hour, Token, TokenSeries } from "../../web/props.ts";
import type { DataDeps } from "../data/answers.ts";
import { findToken } from "../data/listing.ts";
import { daysOf } from "../data/query.ts";
import { hoursBack } from "../data/windows.ts";
import { withinTime } from "../http/deadline.ts";
import { Problem } from "../http/problems.ts";
import type { PageSpec } from "./page.ts";

const TokenParams = z.object({ symbol: z.string().max(300) });
type TokenParams = z.infer<typeof TokenParams>;

interface TokenQuery {
  readonly days: number;
  /** undefined: the first that is listed. */
  readonly chain: string | undefined;
}

const DAYS = { most: 30, byDefault: 7 };
/** How long the page waits for the database, as the public endpoints do. */
const PATIENCE_MS = 1_000;

export function tokenPage(data: DataDeps): PageSpec<TokenParams, TokenQuery> {
  const { assets } = data;
  return {
    path: "/tokens/:symbol",
    name: "token",
    params: TokenParams,
    query: ({ days, chain }) => ({
      days: daysOf(days, DAYS.most, DAYS.byDefault),
      chain: CHAIN_NAMES.find((name) => name === chain),
    }),
    async content({ params: { symbol }, query: { chain, days } }) {
      const asset = findToken(assets, { symbol, chain, address: undefined });
      if (asset === undefined) return { redirect: pathOfAddress(assets, symbol, days) };
      const series = await orNullIfAway(readSeries(data.db, asset, days, Math.floor(data.now() / 1_000)));
      return {
        isDegraded: series === null,
        page: {
          name: "token",
          token: tokenOf(asset, assets),
          unpriced: data.unpricedReason?.(asset) ?? null,
          days,
          series,
        },
      };
    },
  };
}

/** Who asks by a token's address is led to its symbol. @throws Problem where no token has it */
function pathOfAddress(assets: readonly MarketAsset[], address: string, days: number): string {
  const asset = findToken(assets, { symbol: "", chain: undefined, address });
  if (asset === undefined) throw new Problem("not_found", "no token of this symbol is listed");
  const path = pathOf(asset, assets);
  return `${path}${path.includes("?") ? "&" : "?"}days=${days}`;
}

/** A symbol alone names the first token that has it; of another the chain is said, too. */
function pathOf(asset: MarketAsset, assets: readonly MarketAsset[]): string {
  const { symbol, chain } = asset;
  const path = `/tokens/${encodeURIComponent(symbol)}`;
  const first = findToken(assets, { symbol, chain: undefined, address: undefined });
  return first === asset ? path : `${path}?chain=${chain}`;
}

export function tokenOf(asset: MarketAsset, assets: readonly MarketAsset[]): Token {
  const { symbol, underlying, nameEn, nameCn, issuer, chain, address } = asset;
  return { symbol, underlying, nameEn, nameCn, issuer, chain, address, path: pathOf(asset, assets) };
}

/** What the public endpoints serve of these days, by the same queries. @param now unix seconds @throws DatabaseUnavailable */
async function readSeries(
  db: Database,
  { assetKey, underlying }: MarketAsset,
  days: number,
  now: number,
): Promise<TokenSeries> {
  const range = hoursBack(days, now);
  const [premium, [venue = null]] = await Promise.all([
    premiumPoints(db, assetKey, range),
    basisVenues(db, underlying),
  ]);
  const basis = venue === null ? [] : await basisPoints(db, underlying, range, venue);
  return {
    from: range.from,
    to: range.to,
    premium: premium.map((point) => hourOf(point, point.premiumBps, point.netEdgeBps, point.state)),
    venue,
    basis: basis.map((point) => hourOf(point, point.basisBps, point.fundingAnnualBps, point.fundingState)),
  };
}

function hourOf(
  point: PremiumPoint | BasisPoint,
  close: string | null,
  second: string | null,
  secondState: Hour["secondState"],
): Hour {
  return {
    hour: point.hour,
    close,
    low: point.loBps,
    high: point.hiBps,
    second,
    session: point.session,
    source: point.source,
    reference: point.referenceSource,
    age: point.referenceAgeSeconds,
    samples: point.samples,
    state: point.state,
    secondState,
    spread: point.spreadBps,
    halted: point.halted,
  };
}

async function orNullIfAway(reading: Promise<TokenSeries>): Promise<TokenSeries | null> {
  const known = reading.catch((error: unknown) => {
    if (!isDatabaseUnavailable(error)) throw error;
    return null;
  });
  return withinTime(known, PATIENCE_MS, () => null);
}
