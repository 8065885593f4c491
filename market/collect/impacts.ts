/** Price impact of each asset. */
import type { MarketAsset } from "../queries.ts";
import { type ImpactSample, recordImpactSamples } from "../series/samples.ts";
import { eachAtOnce } from "./eachAtOnce.ts";
import { recentImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import type { Impacts } from "./sources.ts";
import { grouped, NOTHING, type Round, type Step, seconds } from "./types.ts";

/** Sizes that are measured, US dollars. */
export const SMALL_USD = 1_000;
export const LARGE_USD = 10_000;

const CONCURRENCY = 4;

export const collectImpacts: Step = async (round) => {
  const { impactsOf } = round.sources;
  if (!impactsOf) return NOTHING;
  const recent = await recentImpacts(round);
  let done = 0;
  const measure = async (asset: MarketAsset) => {
    if (round.signal?.aborted) return;
    try {
      const sampledAt = seconds(round);
      const impacts = await impactsOf(asset);
      if (impacts === null) return;
      await recordImpactSamples(round.db, [impactSample(asset, impacts, sampledAt, round)]);
      recent.set(asset.assetKey, { at: sampledAt, impact1kBps: impacts.impact1kBps });
      round.progress(++done);
    } catch (error) {
      round.fail(asset.assetKey, error);
    }
  };
  // Chains have venues of their own: the slow ones of one do not hold up the other.
  const chains = grouped(await inOrder(round), ({ chain }) => chain);
  await Promise.all(
    [...chains.values()].map((assets) => eachAtOnce(assets, round.concurrency ?? CONCURRENCY, measure)),
  );
  return done;
};

function impactSample(asset: MarketAsset, impacts: Impacts, sampledAt: number, round: Round): ImpactSample {
  const { source, impact1kBps, impact10kBps } = impacts;
  const session = round.sessionAt(sampledAt);
  return { assetKey: asset.assetKey, sampledAt, source, session, impact1kBps, impact10kBps };
}
