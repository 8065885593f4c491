/** Whether a measured impact can be true. Pure. */
import { MOST_IMPACT_BPS } from "../../attestor/evidence/liquidity.ts";
import { sessionFactor, TOO_GOOD_BPS } from "../bounds.ts";
import type { ImpactSample } from "../series/impacts.ts";
import { SeriesDecimal } from "../series/units.ts";
import type { ImpactState } from "../statement.ts";

/**
 * A large buy is not better than a tiny one, nor cheaper than the token: quotes that say so are not true.
 * @param tinyPriceUsd that the tiny buy paid; null: not known
 * @param tokenPriceUsd as its sources agreed on it lately; null: not known
 */
export function tooGood(
  { figure, impact1kBps }: ImpactState,
  tinyPriceUsd: string | null,
  tokenPriceUsd: string | null,
  session: string,
): string | null {
  const stated = [impact1kBps, figure].filter((impact) => impact !== null);
  if (stated.some((impact) => new SeriesDecimal(impact).lt(-TOO_GOOD_BPS))) return "impact_too_good";
  if (tokenPriceUsd === null || tinyPriceUsd === null) return null;
  const cheapest = SeriesDecimal.min(0, ...stated)
    .dividedBy(10_000)
    .plus(1)
    .times(tinyPriceUsd);
  const bound = TOO_GOOD_BPS * sessionFactor(session);
  const least = new SeriesDecimal(tokenPriceUsd).times(10_000 - bound).dividedBy(10_000);
  return cheapest.lt(least) ? "price_too_good" : null;
}

export function impactSample(
  { subject, source, figure, impact1kBps }: ImpactState,
  sampledAt: number,
  session: string,
): ImpactSample {
  return {
    assetKey: subject,
    sampledAt,
    source,
    session,
    impact1kBps: orNoRoute(impact1kBps),
    impact10kBps: orNoRoute(figure),
  };
}

/** A pool that is all but empty gives an answer too, at any price. */
const orNoRoute = (impact: string | null): string | null =>
  impact === null || Number(impact) > MOST_IMPACT_BPS ? null : impact;
