/** Read this first to read the market: every question that the service answers from its stored series. */

import type { Selectable } from "kysely";
import type { Chain } from "../attestor/chains.ts";
import { ascending } from "../attestor/values/order.ts";
import type { Database } from "../database/open.ts";
import type { Schema } from "../database/schema.ts";
import { basisSeries } from "./series/basis.ts";
import { FigureState } from "./series/fields.ts";
import { HOUR_SECONDS } from "./series/hours.ts";
import { type Liquidity, scoresOf } from "./series/liquidity.ts";
import { premiumSeries } from "./series/premium.ts";
import { freshVolumes, newestVolumes } from "./series/totals.ts";
import { bpsText, sumOf } from "./series/units.ts";

export { basisVenues } from "./series/basis.ts";

/** Older figures are not live. */
const LIVE_SECONDS = 3_600;

/** A listed token. */
export interface MarketAsset {
  readonly assetKey: string;
  /** As minted. */
  readonly symbol: string;
  /** Ticker of the stock. */
  readonly underlying: string;
  readonly nameEn: string;
  readonly nameCn: string;
  readonly issuer: string;
  readonly chain: Chain;
  readonly address: string;
  readonly decimals: number;
  readonly tags: string[];
  /** How sure the address is; absent where it is our own, in the local world. */
  readonly confidence?: "high" | "medium";
  /** How many shares it is, as the registry says it; absent in the local world, whose chain says it. */
  readonly shares?: "multiplier" | "rebasing" | "ratio";
}

/** One hour; figures in basis points as decimal text, of the hour's last sample where nothing else is said. */
interface Point {
  /** Unix seconds, start of the hour. */
  readonly hour: number;
  /** Lowest and highest of the hour. */
  readonly loBps: string | null;
  readonly hiBps: string | null;
  /** Of a basis: the venue. */
  readonly source: string;
  readonly session: string;
  readonly referenceSource: string | null;
  /** Null: no reference, or nobody knows its age. */
  readonly referenceAgeSeconds: number | null;
  /** Sources that agree on the last sample; null: none, or nobody counted. */
  readonly witnesses: number | null;
  /** How its sources stand to each other; null: there is no figure. */
  readonly state: FigureState;
  /** How far those that agree let the figure vary; null: fewer than two do. */
  readonly spreadBps: string | null;
  /** Whether the token was paused, or the stock halted. */
  readonly halted: boolean;
  /** In this hour. */
  readonly samples: number;
}

export interface PremiumPoint extends Point {
  /** Null: no reference price. */
  readonly premiumBps: string | null;
  readonly netEdgeBps: string | null;
}

export interface BasisPoint extends Point {
  readonly basisBps: string | null;
  readonly fundingAnnualBps: string | null;
  /** Of the funding, as `state`. */
  readonly fundingState: FigureState;
}

export interface LiquidityScore extends Liquidity {
  readonly assetKey: string;
}

/** US dollars as decimal text; null: a token that is expected has no figure. */
export interface DayTotal {
  /** YYYY-MM-DD, UTC: the day that ended with the snapshot. */
  readonly day: string;
  /** `all`, `issuer:<issuer>` or `chain:<chain>`. */
  readonly scope: string;
  readonly volumeUsd: string | null;
  readonly liquidityUsd: string | null;
  /** Tokens with data. */
  readonly count: number;
  /** Tokens that had data on that day or in the seven days before. */
  readonly expected: number;
}

/** Unix seconds: hours that start at `from` or later and before `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Oldest first; hours without samples are absent. @throws DatabaseUnavailable */
export async function premiumPoints(db: Database, assetKey: string, range: Range): Promise<PremiumPoint[]> {
  const rows = await bucketsOf(db, premiumSeries(assetKey), range);
  return rows.map(premiumIn);
}

/** An hour of a premium. One literal: thousands are made for an answer, and to spread one into another takes as long again. */
export const premiumIn = ({ row, origin }: Hour): PremiumPoint => ({
  premiumBps: bpsText(row.close),
  netEdgeBps: bpsText(row.net_edge),
  hour: row.hour * HOUR_SECONDS,
  loBps: bpsText(row.lo),
  hiBps: bpsText(row.hi),
  source: origin.source,
  session: origin.session,
  referenceSource: origin.referenceSource,
  referenceAgeSeconds: row.reference_age,
  witnesses: row.witnesses,
  state: origin.state,
  spreadBps: bpsText(row.spread),
  halted: origin.halted,
  samples: row.samples,
});

/**
 * Of one venue alone: its mark's distance above the spot. Oldest first; hours without samples are
 * absent.
 * @throws DatabaseUnavailable
 */
export async function basisPoints(
  db: Database,
  underlying: string,
  range: Range,
  venue: string,
): Promise<BasisPoint[]> {
  const rows = await bucketsOf(db, basisSeries(venue, underlying), range);
  return rows.map(basisIn);
}

export const basisIn = ({ row, origin }: Hour): BasisPoint => ({
  basisBps: bpsText(row.close),
  fundingAnnualBps: bpsText(row.funding_annual),
  fundingState: origin.fundingState,
  hour: row.hour * HOUR_SECONDS,
  loBps: bpsText(row.lo),
  hiBps: bpsText(row.hi),
  source: origin.source,
  session: origin.session,
  referenceSource: origin.referenceSource,
  referenceAgeSeconds: row.reference_age,
  witnesses: row.witnesses,
  state: origin.state,
  spreadBps: bpsText(row.spread),
  halted: origin.halted,
  samples: row.samples,
});

/** What is served of an hour: a column more takes as long as it has rows. */
export const COLUMNS = [
  "hour",
  "close",
  "lo",
  "hi",
  "net_edge",
  "funding_annual",
  "samples",
  "reference_age",
  "witnesses",
  "spread",
  "origin_id",
] as const;

/** One range of one index. */
async function bucketsOf(db: Database, series: string, { from, to }: Range) {
  const rows = await db
    .selectFrom("hour_buckets")
    .select(COLUMNS)
    .where("series_id", "=", (query) => query.selectFrom("series").select("id").where("name", "=", series))
    .where("hour", ">=", Math.ceil(from / HOUR_SECONDS))
    .where("hour", "<", Math.ceil(to / HOUR_SECONDS))
    .orderBy("hour")
    .execute();
  return withOrigins(db, rows);
}

type Row = Pick<Selectable<Schema["hour_buckets"]>, (typeof COLUMNS)[number]>;

export interface Hour {
  readonly row: Row;
  readonly origin: {
    readonly source: string;
    readonly session: string;
    readonly referenceSource: string | null;
    readonly state: FigureState;
    readonly fundingState: FigureState;
    readonly halted: boolean;
  };
}

/** Their few origins are read apart: joined to every row they would cost as much again. */
export async function withOrigins(db: Database, rows: readonly Row[]): Promise<Hour[]> {
  // After the hours: what they name is there by then, and is never changed.
  const origins = rows.length === 0 ? [] : await db.selectFrom("origins").selectAll().execute();
  const stateOf = (text: string) => FigureState.parse(text === "" ? null : text) ?? null;
  const byId = new Map(
    origins.map((origin) => [
      origin.id,
      {
        source: origin.source,
        session: origin.session,
        referenceSource: origin.reference_source === "" ? null : origin.reference_source,
        state: stateOf(origin.state),
        fundingState: stateOf(origin.funding_state),
        halted: origin.halted === 1,
      },
    ]),
  );
  return rows.map((row) => ({ row, origin: byId.get(row.origin_id)! }));
}

/**
 * Seven-day medians of these assets as of the last round, in their order; one without samples has nulls and `sampleN` 0.
 * @param now unix seconds
 * @throws DatabaseUnavailable
 */
export async function liquidityScores(
  db: Database,
  assetKeys: readonly string[],
  now: number,
): Promise<LiquidityScore[]> {
  const scores = await scoresOf(db, assetKeys, now);
  return assetKeys.map((assetKey) => ({ assetKey, ...scores.get(assetKey)! }));
}

/**
 * Snapshots of days, both ends included, by day and then scope.
 * @param fromDay YYYY-MM-DD
 * @throws DatabaseUnavailable
 */
export async function dailyTotals(db: Database, fromDay: string, toDay: string): Promise<DayTotal[]> {
  const rows = await db
    .selectFrom("daily_totals")
    .selectAll()
    .where("day", ">=", fromDay)
    .where("day", "<=", toDay)
    .execute();
  return (
    rows
      .map(({ day, scope, volume_usd, liquidity_usd, count, expected }) => ({
        day,
        scope,
        volumeUsd: volume_usd,
        liquidityUsd: liquidity_usd,
        count,
        expected,
      }))
      // Here and not in the database, whose order of texts depends on its settings.
      .sort((one, other) => ascending(one.day, other.day) || ascending(one.scope, other.scope))
  );
}

/**
 * Sums over the tokens that are not halted and whose volume and liquidity are at most an hour old. US dollars as
 * decimal text; null when there is no fresh figure, or one of a token that is expected is missing.
 * @throws DatabaseUnavailable
 */
export async function liveTotals(db: Database, now: number) {
  const { fresh, expected } = await freshVolumes(db, now, LIVE_SECONDS);
  const isKnown = fresh.length > 0 && fresh.length >= expected;
  return {
    volume24hUsd: isKnown ? sumOf(fresh.map(({ volume24hUsd }) => volume24hUsd)) : null,
    liquidityUsd: isKnown ? sumOf(fresh.map(({ liquidityUsd }) => liquidityUsd)) : null,
    tokensWithDexData: fresh.length,
    /** Tokens that had both figures in the last seven days, or a disputed one, and are not halted. */
    expected,
  };
}

/** US dollars as decimal text. */
export interface LiveVolume {
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string;
}

/** By asset key, what each token's pools trade and hold; a token without a figure of the last hour is absent. @throws DatabaseUnavailable */
export async function liveVolumes(db: Database, now: number): Promise<Map<string, LiveVolume>> {
  const newest = await newestVolumes(db, now);
  return new Map([...newest].filter(([, { sampledAt }]) => sampledAt > now - LIVE_SECONDS));
}
