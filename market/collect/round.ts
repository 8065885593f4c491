/** One round of collecting: runs its steps, and notes what could not be had or cannot be true. */
import { poolCadence } from "../bounds.ts";
import type { MarketAsset } from "../queries.ts";
import type { Findings } from "../round.ts";
import { chooseDollar, type Dollar } from "../rules/dollar.ts";
import { createUnchanged, fresh } from "../rules/fresh.ts";
import { excluded } from "../rules/judged.ts";
import { createPriceJudge, plausible } from "../rules/plausible.ts";
import { chooseReference, type Reference } from "../rules/references.ts";
import { recordRejections } from "../series/rejected.ts";
import type { PoolState, Statement } from "../statement.ts";
import { noteExcluded, noteStated } from "./exclusions.ts";
import { createTroubles } from "./troubles.ts";
import {
  type CollectMemory,
  type MarketDeps,
  type Round,
  type Step,
  type StepKind,
  type StepReport,
  seconds,
} from "./types.ts";

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
    announced: [],
    dollar: null,
    providers: new Map(),
    impacts: null,
    shares: null,
    stated: null,
    clearedAt: null,
  };
}

/** A round takes minutes: tokens that come late in it are compared with prices of their own minute. */
const MINUTE_MS = 60_000;

/** Runs the steps of one round. What a step throws costs that step alone. */
export function createRun(deps: MarketDeps, memory: CollectMemory) {
  const alreadyWarned = new Set<string>();
  const references = onceA(MINUTE_MS, deps.now, findReferences);
  const dollar = onceA(MINUTE_MS, deps.now, findDollar);
  const pools = createPoolBook();

  return async (kind: StepKind, step: Step): Promise<StepReport> => {
    const failed: string[] = [];
    let rejected = 0;
    const troubles = createTroubles(kind, alreadyWarned);
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
      ask: async (of, tokens) => round.noted(await deps.market.ask(of, tokens)),
      noted: async <S extends Statement>({ statements, failures, rejections }: Findings<S>) => {
        for (const { subject, error } of failures) fail(subject, error);
        await round.reject(rejections);
        return statements;
      },
      kept: async ({ kept, rejections }) => {
        await round.reject(rejections);
        return kept;
      },
      reject: async (rejections) => {
        rejected += rejections.length;
        troubles.rejected(rejections);
        noteExcluded(memory, rejections, seconds(deps));
        await recordRejections(deps.db, rejections, seconds(deps));
      },
      references: () => references(round),
      dollar: () => dollar(round),
      pools: (assets) => pools(round, assets),
      fail,
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

/** Steps run beside each other, and one of them finds it for all. */
function onceA<T>(ms: number, now: () => number, find: (round: Round) => Promise<T>) {
  let last: { readonly at: number; readonly found: Promise<T> } | undefined;
  return (round: Round): Promise<T> => {
    const at = now();
    if (last === undefined || at - last.at >= ms) last = { at, found: find(round) };
    return last.found;
  };
}

async function findReferences(round: Round): Promise<ReadonlyMap<string, Reference>> {
  const chosen = new Map<string, Reference>();
  try {
    const now = seconds(round);
    const { unchanged, judge } = round.memory;
    const stated = await round.ask("reference", round.assets);
    // A price without a time of its own is as old as the moment at which it was first seen.
    const timed = await round.kept(
      fresh(stated, unchanged, now, ({ at, figure }) =>
        at === null ? { figure, seconds: Number.POSITIVE_INFINITY } : null,
      ),
    );
    noteStated(round, timed);
    const prices = await round.kept(plausible(timed, judge, now));
    const session = round.sessionAt(now);
    for (const [ticker, ofTicker] of Map.groupBy(prices, ({ subject }) => subject)) {
      const { level, exclusions } = chooseReference(ofTicker, session, now);
      if (level) chosen.set(ticker, level);
      await round.reject(excluded("reference", ticker, exclusions));
    }
  } catch (error) {
    // Prices without a reference are still worth their place: their premium is null.
    round.fail("references", error);
  }
  return chosen;
}

async function findDollar(round: Round): Promise<Dollar> {
  const { dollar, rejections } = chooseDollar(await round.ask("dollar", []), seconds(round));
  await round.reject(rejections);
  round.memory.dollar = dollar;
  return dollar;
}

/** Grows as tokens are asked for; a pool that came by several tokens stands once, with its owner. */
function createPoolBook() {
  const asked = new Map<string, Promise<void>>();
  const byToken = new Map<string, Map<string, PoolState>>();

  const ask = async (round: Round, assets: readonly MarketAsset[]): Promise<void> => {
    try {
      const stated = await round.ask("pool", assets);
      const { unchanged } = round.memory;
      // A pool that does not change though it is traded in stands still in its index.
      const pools = await round.kept(fresh(stated, unchanged, seconds(round), cadenceOfPool));
      for (const pool of pools) {
        const poolsOfToken = byToken.get(pool.subject) ?? new Map<string, PoolState>();
        byToken.set(pool.subject, poolsOfToken.set(pool.pool, pool));
      }
    } catch (error) {
      // Tokens have other witnesses.
      round.fail("pools", error);
    }
  };

  return async (
    round: Round,
    assets: readonly MarketAsset[],
  ): Promise<ReadonlyMap<string, readonly PoolState[]>> => {
    const missing = assets.filter(({ assetKey }) => !asked.has(assetKey));
    if (missing.length > 0) {
      const answer = ask(round, missing);
      for (const { assetKey } of missing) asked.set(assetKey, answer);
    }
    // Steps run beside each other: what another has asked for is waited for.
    await Promise.all(new Set(assets.map(({ assetKey }) => asked.get(assetKey))));
    return new Map([...byToken].map(([assetKey, pools]) => [assetKey, [...pools.values()]]));
  };
}

const cadenceOfPool = ({ pool, figure, liquidityUsd, volume24hUsd, trades24h }: PoolState) => ({
  figure: JSON.stringify([figure, liquidityUsd, volume24hUsd, trades24h]),
  seconds: poolCadence(trades24h),
  part: pool,
});
