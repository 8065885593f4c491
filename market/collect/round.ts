/** One round of collecting: what its steps work with, and what is told of them. */
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../ask.ts";
import { createPriceJudge, type PriceJudge } from "../judge.ts";
import { type Rejection, recordRejections } from "../rejected.ts";
import type { Retention } from "../retention.ts";
import type { MarketSources, StockPrice } from "../sources.ts";
import { findReferences } from "./references.ts";

export interface MarketDeps {
  readonly db: Database;
  /** What is collected; the registry's assets. */
  readonly assets: readonly MarketAsset[];
  readonly sources: MarketSources;
  /** The stock market's session at a unix second. */
  sessionAt(seconds: number): string;
  /** Unix milliseconds. */
  now(): number;
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
}

export interface CollectLog {
  error(fields: object, message: string): void;
}

export type Kind = "days" | "impacts" | "premiums" | "bases" | "volumes" | "scores" | "retention";

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

/** What one round leaves to the next. */
export interface CollectMemory {
  readonly judge: PriceJudge;
  readonly impacts: Map<string, { readonly at: number; readonly impact1kBps: string | null }>;
  clearedAt: number | null;
}

export function createMemory(): CollectMemory {
  return { judge: createPriceJudge(), impacts: new Map(), clearedAt: null };
}

export interface Round extends MarketDeps {
  readonly memory: CollectMemory;
  readonly underlyings: readonly string[];
  /** Asked once in a round. */
  references(): Promise<ReadonlyMap<string, StockPrice>>;
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

/** Runs the steps of one round. What a step throws costs that step alone. */
export function createRun(deps: MarketDeps, memory: CollectMemory) {
  const underlyings = [...new Set(deps.assets.map(({ underlying }) => underlying))];
  let references: Promise<ReadonlyMap<string, StockPrice>> | undefined;

  return async (kind: Kind, step: Step): Promise<StepReport> => {
    const failed: string[] = [];
    let rejected = 0;
    const fail = (subject: string, error: unknown) => {
      failed.push(subject);
      deps.log.error({ err: error, subject, kind }, `no ${kind} of ${subject} in this round`);
    };
    const report = (finished: boolean, done: number): StepReport => {
      const made = { kind, finished, done, failed: [...failed], rejected };
      deps.onProgress?.(made);
      return made;
    };
    const round: Round = {
      ...deps,
      memory,
      underlyings,
      references: () => {
        references ??= findReferences(round);
        return references;
      },
      fail,
      reject: async (rejections) => {
        rejected += rejections.length;
        await recordRejections(deps.db, rejections, Math.floor(deps.now() / 1000));
      },
      countRejected: (count) => {
        rejected += count;
      },
      progress: (done) => report(false, done),
    };
    if (deps.signal?.aborted) return report(true, 0);
    try {
      return report(true, await step(round));
    } catch (error) {
      fail(kind, error);
      return report(true, 0);
    }
  };
}

/** Now, unix seconds. */
export const seconds = (round: Round) => Math.floor(round.now() / 1000);
/** Samples stored where there is no source to ask. */
export const NOTHING = 0;
