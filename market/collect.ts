/** Read this first: how the market's samples come to be. Asset by asset: measure, stamp, record. */
import { Cron } from "croner";
import type { Database } from "../database/open.ts";
import { type ImpactSample, recordImpactSamples } from "./samples.ts";

/** Sizes that are measured, US dollars. */
export const SMALL_USD = 1_000;
export const LARGE_USD = 10_000;

export interface CollectDeps {
  readonly db: Database;
  readonly assetKeys: readonly string[];
  /** Written into every sample: a provider's name, or `simulated`. */
  readonly source: string;
  /**
   * Basis points that a buy of so many dollars is worse than a tiny one, as a decimal string; null when
   * there is no route. Throws when it cannot be known, which records nothing.
   */
  impactOf(assetKey: string, usd: number): Promise<string | null>;
  /** The stock market's session at a unix second. */
  sessionAt(seconds: number): string;
  /** Unix milliseconds. */
  now(): number;
  readonly log: CollectLog;
}

export interface CollectLog {
  error(fields: object, message: string): void;
}

export interface Round {
  readonly recorded: number;
  /** Assets that could not be measured or stored. */
  readonly failed: readonly string[];
}

/** One round. A failing asset is logged and leaves the others alone. */
export async function collectOnce(deps: CollectDeps): Promise<Round> {
  const failed: string[] = [];
  for (const assetKey of deps.assetKeys)
    try {
      await recordImpactSamples(deps.db, [await measure(deps, assetKey)]);
    } catch (error) {
      failed.push(assetKey);
      deps.log.error({ err: error, assetKey }, "no impact sample of this asset in this round");
    }
  return { recorded: deps.assetKeys.length - failed.length, failed };
}

async function measure(deps: CollectDeps, assetKey: string): Promise<ImpactSample> {
  const sampledAt = Math.floor(deps.now() / 1000);
  return {
    assetKey,
    sampledAt,
    source: deps.source,
    session: deps.sessionAt(sampledAt),
    impact1kBps: await deps.impactOf(assetKey, SMALL_USD),
    impact10kBps: await deps.impactOf(assetKey, LARGE_USD),
  };
}

export interface Collector {
  /** Ends the schedule and waits for a running round. */
  stop(): Promise<void>;
}

/**
 * A round at every match of the cron pattern (five fields, or six with seconds, in UTC). A round that is
 * still running when the next is due is not overtaken: the next one is left out.
 */
export function startCollector(deps: CollectDeps, pattern = "*/5 * * * *"): Collector {
  let round: Promise<unknown> = Promise.resolve();
  const job = new Cron(pattern, { timezone: "UTC", protect: true }, async () => {
    round = collectOnce(deps);
    await round;
  });
  return {
    stop: async () => {
      job.stop();
      await round;
    },
  };
}
