/** The state of the market's collection, by the database: for operators, in any process. */
import type { Database } from "../database/open.ts";
import type { Schema } from "../database/schema.ts";
import type { MarketAsset } from "./queries.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "./series/hours.ts";
import { premiumSeries } from "./series/premium.ts";
import { dayOf } from "./series/totals.ts";

/** Volumes of before are not looked at: a token without any since is not counted. */
const VOLUME_DAYS = 7;
/** Names of `market_state`. */
const STEP = "step/";
const SKIPPED = "skipped/";
/** A token without a price for so long has none. */
const PRICED_SECONDS = 3_600;
/** What was not noted for so long is not known any more: of a listing a day, of a provider three rounds. */
const NOTED_SECONDS = 3_600;
const EXCLUDED_SECONDS = 900;

/** Ages and durations in seconds; counts are of the last 24 hours. */
export interface MarketStatus {
  readonly providers: readonly ProviderStatus[];
  readonly series: readonly SeriesStatus[];
  /** What was excluded, most first. */
  readonly setAside: readonly { readonly kind: string; readonly reason: string; readonly count: number }[];
  /** The last round that ended; null before the first. */
  readonly round: { readonly endedAgo: number; readonly took: number } | null;
  /** Rounds that were due while the one before was running: when each was last left out in 24 hours. */
  readonly skipped: readonly { readonly round: string; readonly ago: number }[];
  /** How many figures and listings stand how. */
  readonly figures: readonly FiguresStatus[];
  /** Tokens without a price in the last hour. */
  readonly unpriced: readonly Pick<MarketAsset, "assetKey" | "symbol" | "issuer" | "chain">[];
}

export interface ProviderStatus {
  readonly provider: string;
  /** Null: none. */
  readonly lastSuccessAgo: number | null;
  readonly successes: number;
  /** By kind: `timeout`, `shape`, `status 503`. */
  readonly failures: Readonly<Record<string, number>>;
  /** Since figures of it are outliers, stale or cannot be true; null: they count. */
  readonly excludedFor: number | null;
}

export interface FiguresStatus {
  /** `premium`, `basis`, `listing`. */
  readonly kind: string;
  /** `agreed`, `single`, `disputed`; of a listing `listed`, `missing`, `migrated`, `halted`. */
  readonly state: string;
  readonly count: number;
  /** Of them, those that have been so for an hour or more. */
  readonly forAnHour: number;
}

export interface SeriesStatus {
  /** `premium`, `basis/<venue>`, `impact`, `volume`. */
  readonly kind: string;
  readonly count: number;
  /** Age of the newest sample of the series that is least and most up to date. */
  readonly newestAgo: number;
  readonly oldestAgo: number;
}

/** @param now unix seconds @throws DatabaseUnavailable */
export async function marketStatus(
  db: Database,
  assets: readonly MarketAsset[],
  now: number,
): Promise<MarketStatus> {
  const newest = await newestSamples(db, now);
  const state = await db.selectFrom("market_state").selectAll().execute();
  return {
    providers: await providersOf(db, now),
    series: seriesOf(newest, now),
    setAside: await setAsideOf(db, now),
    round: roundOf(state, now),
    skipped: [...agesOf(state, SKIPPED, now)]
      .filter(([, ago]) => ago <= DAY_SECONDS)
      .map(([round, ago]) => ({ round, ago })),
    figures: await figuresOf(db, now),
    unpriced: assets
      .filter(({ assetKey }) => now - (newest.get(premiumSeries(assetKey)) ?? 0) > PRICED_SECONDS)
      .map(({ assetKey, symbol, issuer, chain }) => ({ assetKey, symbol, issuer, chain })),
  };
}

async function providersOf(db: Database, now: number): Promise<ProviderStatus[]> {
  const rows = await db
    .selectFrom("provider_outcomes")
    .selectAll()
    .where("hour", ">=", Math.floor((now - DAY_SECONDS) / HOUR_SECONDS))
    .execute();
  const excluded = await excludedSince(db, now);
  const names = [...new Set([...rows.map(({ provider }) => provider), ...excluded.keys()])].sort();
  return names.map((provider) => {
    const ofProvider = rows.filter((row) => row.provider === provider);
    const good = ofProvider.filter(({ kind }) => kind === "ok");
    const failures: Record<string, number> = {};
    for (const { kind, count } of ofProvider)
      if (kind !== "ok") failures[kind] = (failures[kind] ?? 0) + count;
    const last = good.reduce((at, { last_at }) => Math.max(at, last_at), 0);
    const since = excluded.get(provider);
    return {
      provider,
      lastSuccessAgo: good.length === 0 ? null : Math.max(0, now - last),
      successes: good.reduce((sum, { count }) => sum + count, 0),
      failures,
      excludedFor: since === undefined ? null : Math.max(0, now - since),
    };
  });
}

/** Providers whose figures are excluded, with the unix second since when. @throws DatabaseUnavailable */
export async function excludedSince(db: Database, now: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("market_figures")
    .select(["subject", "since"])
    .where("kind", "=", "provider")
    .where("state", "=", "excluded")
    .where("seen_at", ">", Math.floor(now) - EXCLUDED_SECONDS)
    .execute();
  return new Map(rows.map(({ subject, since }) => [subject, since]));
}

async function figuresOf(db: Database, now: number): Promise<FiguresStatus[]> {
  const rows = await db
    .selectFrom("market_figures")
    .select(({ fn, eb }) => [
      "kind",
      "state",
      fn.countAll().as("count"),
      fn
        .sum(
          eb
            .case()
            .when("since", "<=", now - HOUR_SECONDS)
            .then(1)
            .else(0)
            .end(),
        )
        .as("forAnHour"),
    ])
    .where("kind", "!=", "provider")
    .where(({ or, eb }) =>
      or([
        eb("seen_at", ">", now - NOTED_SECONDS),
        eb("kind", "=", "listing").and("seen_at", ">", now - DAY_SECONDS),
      ]),
    )
    .groupBy(["kind", "state"])
    .orderBy("kind")
    .orderBy("state")
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count), forAnHour: Number(row.forAnHour) }));
}

/** Unix seconds by series. @param now unix seconds */
async function newestSamples(db: Database, now: number): Promise<Map<string, number>> {
  const rows = await db.selectFrom("series").select(["name", "latest_at"]).execute();
  const newest = new Map<string, number>();
  for (const { name, latest_at } of rows) if (latest_at !== null) newest.set(name, latest_at);
  const impacts = await db.selectFrom("liquidity_scores").select(["asset_key", "updated_at"]).execute();
  for (const { asset_key, updated_at } of impacts)
    if (updated_at !== null) newest.set(`impact/${asset_key}`, updated_at);
  // A day at a time, oldest first: each is found by its index, where a span of days would be read from end to end.
  for (let ago = VOLUME_DAYS; ago >= 0; ago--) {
    const volumes = await db
      .selectFrom("volume_days")
      .select(["asset_key", "sampled_at"])
      .where("day", "=", dayOf(now - ago * DAY_SECONDS))
      .execute();
    for (const { asset_key, sampled_at } of volumes) newest.set(`volume/${asset_key}`, sampled_at);
  }
  return newest;
}

function seriesOf(newest: ReadonlyMap<string, number>, now: number): SeriesStatus[] {
  const ages = new Map<string, number[]>();
  for (const [name, at] of newest) {
    const [kind = "", venue] = name.split("/");
    const key = kind === "basis" ? `${kind}/${venue}` : kind;
    ages.set(key, [...(ages.get(key) ?? []), Math.max(0, now - at)]);
  }
  return [...ages]
    .map(([kind, list]) => ({
      kind,
      count: list.length,
      newestAgo: list.reduce((one, other) => Math.min(one, other)),
      oldestAgo: list.reduce((one, other) => Math.max(one, other)),
    }))
    .sort((one, other) => (one.kind < other.kind ? -1 : 1));
}

async function setAsideOf(db: Database, now: number): Promise<MarketStatus["setAside"]> {
  const rows = await db
    .selectFrom("rejected_samples")
    .select(({ fn }) => ["kind", "reason", fn.countAll().as("count")])
    .where("rejected_at", ">", now - DAY_SECONDS)
    .groupBy(["kind", "reason"])
    .execute();
  return rows
    .map(({ kind, reason, count }) => ({ kind, reason, count: Number(count) }))
    .sort((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1));
}

/**
 * When each step of the collection was last of use, in whichever process.
 * @param now unix seconds
 * @returns ages in seconds, by step
 * @throws DatabaseUnavailable
 */
export async function stepAges(db: Database, now: number): Promise<ReadonlyMap<string, number>> {
  return agesOf(await db.selectFrom("market_state").selectAll().execute(), STEP, now);
}

type State = readonly Schema["market_state"][];

/** Of all names with a prefix, without it. */
function agesOf(state: State, prefix: string, now: number): ReadonlyMap<string, number> {
  return new Map(
    state.flatMap(({ name, value }) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), Math.max(0, now - value)] as const] : [],
    ),
  );
}

function roundOf(state: State, now: number): MarketStatus["round"] {
  const at = (name: string) => state.find((row) => row.name === name)?.value;
  const [started, ended] = [at("round_started_at"), at("round_ended_at")];
  return started === undefined || ended === undefined
    ? null
    : { endedAgo: Math.max(0, now - ended), took: ended - started };
}
