/**
 * Read this first: how the market's series come to be. A round asks each source, stamps what it says with
 * session and time, and records it. What fails costs itself alone: an asset, a provider, or one kind.
 */
import { Cron } from "croner";
import type { Database } from "../database/open.ts";
import type { MarketAsset } from "./ask.ts";
import { type BasisSample, recordBases } from "./basis.ts";
import { countsAsReference, createPriceJudge, type PriceJudge } from "./judge.ts";
import { acquireLease, type LeaseDeps, releaseLease } from "./lease.ts";
import { scoresOf } from "./liquidity.ts";
import { type PremiumSample, recordPremiums } from "./premium.ts";
import { type Rejection, recordRejections } from "./rejected.ts";
import { clearOld, DEFAULT_RETENTION, type Retention } from "./retention.ts";
import { type ImpactSample, recordImpactSamples } from "./samples.ts";
import type { Findings, Impacts, MarketSources, StockPrice } from "./sources.ts";
import { closeDays, recordVolumes } from "./totals.ts";

/** Sizes that are measured, US dollars. */
export const SMALL_USD = 1_000;
export const LARGE_USD = 10_000;

/** What trading platforms take of such a trade, basis points. */
export const PLATFORM_FEE_BPS = "10";
/** A figure of impact that is older says nothing of the price beside it. */
const IMPACT_COUNTS_SECONDS = 3_600;
const CONCURRENCY = 4;
const LEASE = { name: "collector", ttlMs: 60_000 };
const RENEW = "*/20 * * * * *";
const CLEAR_EVERY_SECONDS = 3_600;
/** A provider may keep a round waiting for longer than the end of the process should take. */
const STOP_PATIENCE_MS = 5_000;

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

/** One round. Never throws: what failed is logged and stands in the report. */
export async function collectRound(deps: MarketDeps, memory: CollectMemory): Promise<RoundReport> {
  const run = createRun(deps, memory);
  return {
    steps: [
      await run("days", closeEndedDays),
      await run("impacts", collectImpacts),
      await run("premiums", collectPremiums),
      await run("bases", collectBases),
      await run("volumes", collectVolumes),
      await run("scores", refreshScores),
      await run("retention", clearWhatIsOld),
    ],
  };
}

interface Round extends MarketDeps {
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
type Step = (round: Round) => Promise<number>;

function createRun(deps: MarketDeps, memory: CollectMemory) {
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

const seconds = (round: Round) => Math.floor(round.now() / 1000);
const NOTHING = 0;

const closeEndedDays: Step = async (round) => {
  const days = await closeDays(round.db, round.assets, seconds(round));
  return days.length;
};

const collectImpacts: Step = async (round) => {
  const { impactsOf } = round.sources;
  if (!impactsOf) return NOTHING;
  let done = 0;
  await eachOf(round.assets, round.concurrency ?? CONCURRENCY, async (asset) => {
    if (round.signal?.aborted) return;
    try {
      const sampledAt = seconds(round);
      const impacts = await impactsOf(asset);
      if (impacts === null) return;
      await recordImpactSamples(round.db, [impactSample(asset, impacts, sampledAt, round)]);
      round.memory.impacts.set(asset.assetKey, { at: sampledAt, impact1kBps: impacts.impact1kBps });
      round.progress(++done);
    } catch (error) {
      round.fail(asset.assetKey, error);
    }
  });
  return done;
};

function impactSample(asset: MarketAsset, impacts: Impacts, sampledAt: number, round: Round): ImpactSample {
  const { source, impact1kBps, impact10kBps } = impacts;
  const session = round.sessionAt(sampledAt);
  return { assetKey: asset.assetKey, sampledAt, source, session, impact1kBps, impact10kBps };
}

const collectPremiums: Step = async (round) => {
  if (!round.sources.pricesOf) return NOTHING;
  const references = await round.references();
  const prices = await accepted(round, "price", await round.sources.pricesOf(round.assets), (row) => ({
    subject: row.assetKey,
    source: row.source,
    price: row.tokenPriceUsd,
    at: row.at,
  }));
  const stocks = new Map(round.assets.map(({ assetKey, underlying }) => [assetKey, underlying]));
  const samples = prices.map((row): PremiumSample => {
    const reference = references.get(stocks.get(row.assetKey) ?? "");
    const impact = round.memory.impacts.get(row.assetKey);
    const counts = impact !== undefined && Math.abs(row.at - impact.at) <= IMPACT_COUNTS_SECONDS;
    return {
      assetKey: row.assetKey,
      sampledAt: row.at,
      source: row.source,
      session: round.sessionAt(row.at),
      tokenPriceUsd: row.tokenPriceUsd,
      sharesPerToken: row.sharesPerToken,
      referencePriceUsd: reference?.priceUsd ?? null,
      referenceSource: reference?.source ?? null,
      impact1kBps: counts ? impact.impact1kBps : null,
      platformFeeBps: round.platformFeeBps ?? PLATFORM_FEE_BPS,
    };
  });
  const { stored, rejected } = await recordPremiums(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

const collectBases: Step = async (round) => {
  if (!round.sources.perpsOf) return NOTHING;
  const references = await round.references();
  const perps = await accepted(round, "perp", await round.sources.perpsOf(round.underlyings), (row) => ({
    subject: row.underlying,
    source: row.source,
    price: row.markUsd,
    at: row.at,
  }));
  const samples = perps.map((row): BasisSample => {
    const spot = references.get(row.underlying);
    return {
      underlying: row.underlying,
      sampledAt: row.at,
      source: row.source,
      session: round.sessionAt(row.at),
      perpMarkUsd: row.markUsd,
      spotUsd: spot?.priceUsd ?? null,
      spotSource: spot?.source ?? null,
      fundingRate: row.fundingRate,
      fundingIntervalHours: row.fundingIntervalHours,
    };
  });
  const { stored, rejected } = await recordBases(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

const collectVolumes: Step = async (round) => {
  if (!round.sources.volumesOf) return NOTHING;
  const found = await noted(round, await round.sources.volumesOf(round.assets));
  const samples = found.map(({ at, ...row }) => ({
    ...row,
    sampledAt: at,
    session: round.sessionAt(at),
  }));
  const { stored, rejected } = await recordVolumes(round.db, samples, seconds(round));
  round.countRejected(rejected.length);
  return stored;
};

/** So that readers find them ready. */
const refreshScores: Step = async (round) => {
  const keys = round.assets.map(({ assetKey }) => assetKey);
  return (await scoresOf(round.db, keys, seconds(round))).size;
};

const clearWhatIsOld: Step = async (round) => {
  const now = seconds(round);
  const { clearedAt } = round.memory;
  if (clearedAt !== null && now - clearedAt < CLEAR_EVERY_SECONDS) return NOTHING;
  await clearOld(round.db, round.retention ?? DEFAULT_RETENTION, now);
  round.memory.clearedAt = now;
  return NOTHING;
};

/** Of each stock the first price, in the order of trust, that can be true and is not too old. */
async function findReferences(round: Round): Promise<ReadonlyMap<string, StockPrice>> {
  const chosen = new Map<string, StockPrice>();
  if (!round.sources.referencesOf) return chosen;
  try {
    const found = await round.sources.referencesOf(round.underlyings);
    const rows = await accepted(round, "reference", found, (row) => ({
      subject: row.underlying,
      source: row.source,
      price: row.priceUsd,
      at: row.publishedAt,
    }));
    const now = seconds(round);
    const session = round.sessionAt(now);
    for (const row of rows)
      if (!chosen.has(row.underlying) && countsAsReference(row, session, now))
        chosen.set(row.underlying, row);
  } catch (error) {
    // Prices without a reference are still worth their place: their premium is null.
    round.fail("references", error);
  }
  return chosen;
}

interface Priced {
  readonly subject: string;
  readonly source: string;
  readonly price: string;
  readonly at: number | null;
}

/** Leaves out the prices that cannot be true, and records why. */
async function accepted<T>(
  round: Round,
  kind: string,
  findings: Findings<T>,
  pricedOf: (row: T) => Priced,
): Promise<T[]> {
  const before = await noted(round, findings);
  const now = seconds(round);
  const turnedAway: Rejection[] = [];
  const rows = before.filter((row) => {
    const { subject, source, price, at } = pricedOf(row);
    const reason = round.memory.judge.judge(`${kind}/${source}/${subject}`, price, at, now);
    if (reason !== null) turnedAway.push({ kind, subject, reason, sample: row });
    return reason === null;
  });
  await round.reject(turnedAway);
  return rows;
}

async function noted<T>(round: Round, findings: Findings<T>): Promise<readonly T[]> {
  for (const { subject, error } of findings.failures ?? []) round.fail(subject, error);
  await round.reject(findings.rejected ?? []);
  return findings.rows;
}

/** So many at a time, in order of the list. */
async function eachOf<T>(list: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const queue = list.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker));
}

export interface Collector {
  /** Ends the schedule, and a running round as soon as what it is doing is done; waits five seconds at most. */
  stop(): Promise<void>;
}

export interface Schedule {
  /** Five fields, or six with seconds, in UTC (every five minutes). */
  readonly pattern?: string;
  /** Tells this process from others on the same database. */
  readonly holder: string;
}

/**
 * A round now, and one at every match of the cron pattern, in that process alone that holds the lease. A
 * round that is still running when the next is due is not overtaken: the next one is left out.
 */
export function startCollecting(deps: MarketDeps, schedule: Schedule): Collector {
  const lease: LeaseDeps = { db: deps.db, ...LEASE, holder: schedule.holder, now: () => deps.now() };
  const memory = createMemory();
  const ending = new AbortController();
  let running: Promise<unknown> | undefined;
  let renewing: Promise<unknown> | undefined;

  const leads = async () => {
    if (ending.signal.aborted) return false;
    try {
      return await acquireLease(lease);
    } catch (error) {
      deps.log.error({ err: error }, "the collector's lease cannot be had");
      return false;
    }
  };
  const round = async () => {
    if (await leads()) await collectRound({ ...deps, signal: ending.signal }, memory);
  };
  const begin = () => {
    running ??= round().finally(() => {
      running = undefined;
    });
  };

  const rounds = new Cron(schedule.pattern ?? "*/5 * * * *", { timezone: "UTC" }, begin);
  // Who collects goes on collecting: the lease is renewed while rounds run and between them.
  const renewals = new Cron(RENEW, { timezone: "UTC" }, () => {
    renewing = leads();
  });
  begin();
  return {
    stop: async () => {
      ending.abort();
      rounds.stop();
      renewals.stop();
      await Promise.race([Promise.all([running, renewing]), sleep(STOP_PATIENCE_MS)]);
      await releaseLease(lease).catch(() => {});
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
