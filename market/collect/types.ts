/** What the steps of a round work with, and what they tell. */
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../queries.ts";
import type { Findings, Market } from "../round.ts";
import type { Dollar } from "../rules/dollar.ts";
import type { Unchanged } from "../rules/fresh.ts";
import type { Halts } from "../rules/listings.ts";
import type { PriceJudge } from "../rules/plausible.ts";
import type { Reference } from "../rules/references.ts";
import type { RecentPools, RecentVolume } from "../rules/volumes.ts";
import type { Rejection } from "../series/rejected.ts";
import type { LastShares } from "../series/shares.ts";
import type { Kind, ListingState, PoolState, ShareRatio, Statement, StatementOf } from "../statement.ts";
import type { Retention } from "./retention.ts";

export interface MarketDeps {
  readonly db: Database;
  /** What is collected; the registry's assets. */
  readonly assets: readonly MarketAsset[];
  readonly market: Market;
  /** The stock market's session at a unix second. */
  sessionAt(seconds: number): string;
  now(): UnixMs;
  readonly log: CollectLog;
  /** Taken off the net edge, decimal text (`PLATFORM_FEE_BPS`). */
  readonly platformFeeBps?: string;
  readonly retention?: Retention;
  /** Assets of a chain whose impact is measured at once (2). */
  readonly concurrency?: number;
  /** Ends a round early: what is measured is finished, nothing more is begun. */
  readonly signal?: AbortSignal;
  /** Called as a round goes on, for a table. */
  onProgress?(step: StepReport): void;
  /** Looks on while a step runs. */
  watchStep?(kind: StepKind, run: () => Promise<StepReport>): Promise<StepReport>;
}

export interface CollectLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type StepKind =
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
  readonly kind: StepKind;
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
  /** Null: not read from the database yet. */
  halted: Halts | null;
  /** What lists and factors said in this round: where a token is now, how its shares will change. */
  listed: readonly ListingState[];
  announced: readonly ShareRatio[];
  /** As it was found last, for who may not ask; null: it was not asked for yet. */
  dollar: Dollar | null;
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
  /** What is stated of these tokens or their stocks. Notes what could not be had and what was rejected. */
  ask<Of extends Kind>(of: Of, tokens: readonly MarketAsset[]): Promise<readonly StatementOf<Of>[]>;
  /** Notes the same of findings. @returns the statements */
  noted<S extends Statement>(findings: Findings<S>): Promise<readonly S[]>;
  /** Leaves out what cannot be true, or what a majority of witnesses is against. @returns the others */
  kept<T>(result: { readonly kept: T; readonly rejections: readonly Rejection[] }): Promise<T>;
  reject(rejections: readonly Rejection[]): Promise<void>;
  /** Of each stock the level of its sources; a stock of which nobody says anything is absent. Asked once a minute. */
  references(): Promise<ReadonlyMap<string, Reference>>;
  /** What the dollar token is worth that quotes are paid in. Asked once a minute. */
  dollar(): Promise<Dollar>;
  /** Those that sources state of these tokens, and of those asked for before, by asset key. Asked once in a round. */
  pools(assets: readonly MarketAsset[]): Promise<ReadonlyMap<string, readonly PoolState[]>>;
  /** Notes what could not be had, without ending the step. */
  fail(subject: string, error: unknown): void;
  /** Counts what the recording functions excluded. */
  countRejected(count: number): void;
  progress(done: number): void;
}

/** @returns samples stored */
export type Step = (round: Round) => Promise<number>;

/** Now, unix seconds. */
export const seconds = (round: Pick<Round, "now">) => Math.floor(round.now() / 1000);
/** Samples stored where there is no source to ask. */
export const NOTHING = 0;
