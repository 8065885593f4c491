/** One round of collecting: runs its steps, and notes what could not be had or cannot be true. */
import { recordRejections } from "../series/rejected.ts";
import { noteExcluded } from "./exclusions.ts";
import { createPriceJudge } from "./outliers.ts";
import { createPoolBook } from "./pools.ts";
import { findReferences } from "./references.ts";
import type { Reference } from "./sources.ts";
import { createTroubles } from "./troubles.ts";
import type { CollectMemory, Kind, MarketDeps, Round, Step, StepReport } from "./types.ts";
import { createUnchanged } from "./unchanged.ts";

export function createMemory(): CollectMemory {
  return {
    judge: createPriceJudge(),
    unchanged: createUnchanged(),
    prices: new Map(),
    pools: new Map(),
    volumes: new Map(),
    ratios: new Map(),
    halted: null,
    listed: [],
    providers: new Map(),
    impacts: null,
    shares: null,
    stated: null,
    clearedAt: null,
  };
}

/** A round takes minutes: tokens that come late in it are compared with prices of their own minute. */
const REFERENCES_MS = 60_000;

/** Runs the steps of one round. What a step throws costs that step alone. */
export function createRun(deps: MarketDeps, memory: CollectMemory) {
  const underlyings = [...new Set(deps.assets.map(({ underlying }) => underlying))];
  const told = new Set<string>();
  let references: { at: number; found: Promise<ReadonlyMap<string, Reference>> } | undefined;
  const pools = createPoolBook();

  return async (kind: Kind, step: Step): Promise<StepReport> => {
    const failed: string[] = [];
    let rejected = 0;
    const troubles = createTroubles(kind, told);
    const fail = (subject: string, error: unknown) => {
      // Asked for one lot of tokens after the other, a provider that is down fails for each.
      if (failed.includes(subject)) return;
      failed.push(subject);
      troubles.failed(subject, error);
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
        const at = deps.now();
        if (references === undefined || at - references.at >= REFERENCES_MS)
          references = { at, found: findReferences(round) };
        return references.found;
      },
      pools: (assets) => pools(round, assets),
      haltedStocks: () =>
        new Set(
          deps.assets
            .filter(({ assetKey }) => memory.halted?.has(assetKey))
            .map(({ underlying }) => underlying),
        ),
      fail,
      reject: async (rejections) => {
        rejected += rejections.length;
        troubles.rejected(rejections);
        noteExcluded(memory, rejections, Math.floor(deps.now() / 1000));
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
    } finally {
      troubles.tell(deps.log);
    }
  };
}
