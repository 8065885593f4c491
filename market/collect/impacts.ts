/** Price impact of each asset. */
import type { MarketAsset } from "../queries.ts";
import { type ImpactSample, recordImpactSamples } from "../series/samples.ts";
import type { Impacts } from "./sources.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

/** Sizes that are measured, US dollars. */
export const SMALL_USD = 1_000;
export const LARGE_USD = 10_000;

const CONCURRENCY = 4;

export const collectImpacts: Step = async (round) => {
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

/** So many at a time, in order of the list. */
async function eachOf<T>(list: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const queue = list.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, worker));
}
