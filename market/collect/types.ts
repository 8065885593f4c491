/** What the steps of a round work with, and what they tell. */
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../queries.ts";
import type { Rejection } from "../series/rejected.ts";
import type { LastShares } from "./choosePrice.ts";
import type { PriceJudge } from "./outliers.ts";
import type { Retention } from "./retention.ts";
import type { MarketSources, PoolState, Reference } from "./sources.ts";

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

export interface RecentImpact {
  readonly at: UnixSeconds;
  readonly impact1kBps: string | null;
}

/** What one round leaves to the next. */
export interface CollectMemory {
  readonly judge: PriceJudge;
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
  /** Notes what could not be had, without ending the step. */
  fail(subject: string, error: unknown): void;
  /** Keeps aside what cannot be true. */
  reject(rejections: readonly Rejection[]): Promise<void>;
  /** Counts what the recording functions kept aside. */
  countRejected(count: number): void;
  progress(done: number): void;
}

/** @returns samples stored */
export type Step = (round: Round) => Promise<number>;

/** Now, unix seconds. */
export const seconds = (round: Round) => Math.floor(round.now() / 1000);
/** Samples stored where there is no source to ask. */
export const NOTHING = 0;

/** The rows of each key, in the order in which they came. */
export function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** How old a reference was at a unix second; null without one, or where its age is not known. */
export function ageOf(reference: Reference | undefined, at: number): number | null {
  return reference?.publishedAt == null ? null : Math.max(0, at - reference.publishedAt);
}
