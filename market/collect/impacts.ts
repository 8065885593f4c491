/** Price impact of each asset. */
import { MOST_IMPACT_BPS } from "../../attestor/evidence/liquidity.ts";
import type { MarketAsset } from "../queries.ts";
import { type ImpactSample, recordImpactSamples } from "../series/samples.ts";
import { SeriesDecimal } from "../series/units.ts";
import { sessionFactor, TOO_GOOD_BPS } from "../bounds.ts";
import { eachAtOnce } from "./eachAtOnce.ts";
import { noteStated } from "./exclusions.ts";
import { IMPACT_COUNTS_SECONDS, recentImpacts } from "./measured.ts";
import { inOrder } from "./order.ts";
import type { Impacts } from "./sources.ts";
import { NOTHING, type Round, type Step, seconds } from "./types.ts";

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
      noteStated(round, "impact", [{ ...impacts, assetKey: asset.assetKey }]);
      const reason = tooGood(round, asset, impacts);
      if (reason !== null)
        return await round.reject([{ kind: "impact", subject: asset.assetKey, reason, sample: impacts }]);
      await recordImpactSamples(round.db, [impactSample(asset, impacts, sampledAt, round)]);
      recent.set(asset.assetKey, { at: sampledAt, impact1kBps: impacts.impact1kBps });
      round.progress(++done);
    } catch (error) {
      round.fail(asset.assetKey, error);
    }
  };
  // Chains have venues of their own: the slow ones of one do not hold up the other.
  const chains = Map.groupBy(await inOrder(round), ({ chain }) => chain);
  await Promise.all(
    [...chains.values()].map((assets) => eachAtOnce(assets, round.concurrency ?? CONCURRENCY, measure)),
  );
  return done;
};

/** A large buy is not better than a tiny one, nor cheaper than the token: quotes that say so are not true. */
function tooGood(
  round: Round,
  { assetKey }: MarketAsset,
  { impact1kBps, impact10kBps, tinyPriceUsd }: Impacts,
): string | null {
  const stated = [impact1kBps, impact10kBps].filter((impact) => impact !== null);
  if (stated.some((impact) => new SeriesDecimal(impact).lt(-TOO_GOOD_BPS))) return "impact_too_good";
  const price = round.memory.prices.get(assetKey);
  if (price === undefined || tinyPriceUsd === null || seconds(round) - price.at > IMPACT_COUNTS_SECONDS)
    return null;
  const cheapest = SeriesDecimal.min(0, ...stated)
    .dividedBy(10_000)
    .plus(1)
    .times(tinyPriceUsd);
  const bound = TOO_GOOD_BPS * sessionFactor(round.sessionAt(seconds(round)));
  const least = new SeriesDecimal(price.tokenPriceUsd).times(10_000 - bound).dividedBy(10_000);
  return cheapest.lt(least) ? "price_too_good" : null;
}

function impactSample(asset: MarketAsset, impacts: Impacts, sampledAt: number, round: Round): ImpactSample {
  return {
    assetKey: asset.assetKey,
    sampledAt,
    source: impacts.source,
    session: round.sessionAt(sampledAt),
    impact1kBps: orNoRoute(impacts.impact1kBps),
    impact10kBps: orNoRoute(impacts.impact10kBps),
  };
}

/** A pool that is all but empty gives an answer too, at any price. */
const orNoRoute = (impact: string | null): string | null =>
  impact === null || Number(impact) > MOST_IMPACT_BPS ? null : impact;
