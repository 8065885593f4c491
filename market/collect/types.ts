/** What the steps of a round work with, and what they tell. */
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../queries.ts";
import type { Input } from "../series/fields.ts";
import type { Rejection } from "../series/rejected.ts";
import type { LastShares } from "../series/shares.ts";
import { sumOf } from "../series/units.ts";
import type { PriceJudge } from "./outliers.ts";
import type { Retention } from "./retention.ts";
import type { ListingState, MarketSources, PoolState, Reference } from "./sources.ts";
import type { Unchanged } from "./unchanged.ts";
import type { Level, Witness } from "../level.ts";

export interface MarketDeps {
  readonly db: Database;
  /** What is collected; the registry's assets. */
  readonly assets: readonly MarketAsset[];
  readonly sources: MarketSources;
  /** The stock market's session at a unix second. */
  sessionAt(seconds: number): string;
  now(): UnixMs;
  readonly log: CollectLog;
  /** Taken off the net edge, decimal text (`PLATFORM_FEE_BPS`). */
  readonly platformFeeBps?: string;
  readonly retention?: Retention;
  /** Assets that are measured at once (4). */
  readonly concurrency?: number;
  /** Ends a round early: what is measured is finished, nothing more is begun. */
  readonly signal?: AbortSignal;
  /** Called as a round goes on, for a table. */
  onProgress?(step: StepReport): void;
  /** Looks on while a step runs. */
  watchStep?(kind: Kind, run: () => Promise<StepReport>): Promise<StepReport>;
}

export interface CollectLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type Kind =
  | "days"
  | "listings"
  | "actions"
  | "providers"
  | "premiums"
  | "bases"
  | "volumes"
  | "references"
  | "impacts"
  | "scores"
  | "retention";

export interface StepReport {
  readonly kind: Kind;
  /** False while the step goes on. */
  readonly finished: boolean;
  /** Samples stored, or assets done so far. */
  readonly done: number;
  /** What could not be had: asset keys, tickers, providers. */
  readonly failed: readonly string[];
  /** What came and cannot be true; recorded with the reason. */
  readonly rejected: number;
}

export interface RoundReport {
  readonly steps: readonly StepReport[];
}

/** A token's price as its sources agreed on it, US dollars per whole raw token. */
export interface RecentPrice {
  readonly at: UnixSeconds;
  readonly tokenPriceUsd: string;
}

/** The pools that counted in a token's volume, with their liquidity in US dollars. */
export interface RecentPools {
  readonly at: UnixSeconds;
  readonly liquidityUsd: ReadonlyMap<string, string>;
}

/** US dollars; null: not stated. */
export interface RecentVolume {
  readonly volume24hUsd: string | null;
  readonly liquidityUsd: string | null;
  readonly sampledAt: UnixSeconds;
}

export interface RecentImpact {
  readonly at: UnixSeconds;
  readonly impact1kBps: string | null;
}

/** The tokens and stocks that a provider stated figures of one kind of, and those of which it was excluded: when last. */
export interface Standing {
  readonly stated: Map<string, UnixSeconds>;
  readonly excluded: Map<string, UnixSeconds>;
}

/** What one round leaves to the next. */
export interface CollectMemory {
  readonly judge: PriceJudge;
  readonly unchanged: Unchanged;
  /** By asset key, as the next. */
  readonly prices: Map<string, RecentPrice>;
  readonly pools: Map<string, RecentPools>;
  /** What a token's volume and liquidity are compared with: older than an hour, they give way to the newest. */
  readonly volumes: Map<string, RecentVolume>;
  /** The share ratios of the round before. */
  readonly ratios: Map<string, string>;
  /** Which list says that a token's trading stands still, by asset key; null: not read from the database yet. */
  halted: ReadonlyMap<string, string> | null;
  /** What lists said of the tokens in this round. */
  listed: readonly ListingState[];
  /** By a provider's name, and the kind of its figures. */
  readonly providers: Map<string, Map<string, Standing>>;
  /** By asset key; null: not read from the database yet. As the next. */
  impacts: Map<string, RecentImpact> | null;
  shares: Map<string, LastShares> | null;
  /** Liquidity for the order of tokens, asked once; null: not asked, or not needed. */
  stated: Promise<ReadonlyMap<string, string>> | null;
  clearedAt: number | null;
}

export interface Round extends MarketDeps {
  readonly memory: CollectMemory;
  readonly underlyings: readonly string[];
  /** Asked once a minute. */
  references(): Promise<ReadonlyMap<string, Reference>>;
  /** Those that sources state of these tokens, and of those asked for before, by asset key. Asked once in a round. */
  pools(assets: readonly MarketAsset[]): Promise<ReadonlyMap<string, readonly PoolState[]>>;
  /** Tickers of which a token is halted. */
  haltedStocks(): ReadonlySet<string>;
  /** Notes what could not be had, without ending the step. */
  fail(subject: string, error: unknown): void;
  /** Excludes what cannot be true, or what a majority of witnesses is against. */
  reject(rejections: readonly Rejection[]): Promise<void>;
  /** Counts what the recording functions excluded. */
  countRejected(count: number): void;
  progress(done: number): void;
}

/** @returns samples stored */
export type Step = (round: Round) => Promise<number>;

/** Now, unix seconds. */
export const seconds = (round: Round) => Math.floor(round.now() / 1000);
/** Samples stored where there is no source to ask. */
export const NOTHING = 0;

/** How old the oldest of the witnesses that agree is at a unix second; null where an age is not known, or none agrees. */
export function ageOf(level: Level<Witness> | null | undefined, at: UnixSeconds): number | null {
  const ages = (level?.agreed ?? []).map(({ publishedAt }) =>
    publishedAt === null ? null : Math.max(0, at - publishedAt),
  );
  return ages.length === 0 || ages.includes(null) ? null : Math.max(...ages.map(Number));
}

/** The names of a level's sources, for a sample; null where there are none. */
export function namesOf(level: Level<Witness> | null | undefined): string | null {
  const { agreed = [], aside = [] } = level ?? {};
  const sources = (agreed.length > 0 ? agreed : aside).map(({ source }) => source);
  return sources.length === 0 ? null : [...new Set(sources)].sort().join(",");
}

/** The witnesses of a level, as a sample lists them. */
export function inputsOf(of: Input[0], level: Level<Witness> | null | undefined, at: UnixSeconds): Input[] {
  const { agreed = [], aside = [] } = level ?? {};
  return [...agreed, ...aside].map((witness) => {
    const { source, figure, publishedAt } = witness;
    return [
      of,
      source,
      figure,
      publishedAt === null ? null : at - publishedAt,
      agreed.includes(witness) ? 1 : 0,
    ];
  });
}

/** What the witnesses of several levels let a figure vary, basis points; null where none has two. */
export function spreadOf(levels: readonly (Level<unknown> | null | undefined)[]): string | null {
  const spreads = levels.flatMap((level) => level?.spreadBps ?? []);
  return spreads.length === 0 ? null : sumOf(spreads);
}
