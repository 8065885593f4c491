import { ageSeconds, bps, eligibleReferences, settlementRules } from "../evidence/figures.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import { atMost, type Check, judged, unavailable } from "./finding.ts";

const NAME = "settlement-peg";

/** The settlement token is worth its dollar: enough fresh sources say so, and the one farthest off is near enough. */
export const settlementPeg: Check = (policy, { settlement, capturedAt }) => {
  const { minSources, maxAgeSeconds, maxDeviationBps } = policy.settlement;
  const fresh = eligibleReferences(settlementRules(policy), settlement, capturedAt).filter(
    ({ publishedAt }) => ageSeconds(publishedAt, capturedAt) <= maxAgeSeconds,
  );
  if (fresh.length < minSources)
    return unavailable(
      NAME,
      maxDeviationBps,
      `${fresh.length} source(s) price the settlement token within ${maxAgeSeconds} s; at least ${minSources} needed.`,
    );
  const deviations = fresh.map(({ price }) => new EvidenceDecimal(price).minus(1));
  const farthest = deviations.reduce((worst, next) => (next.abs().greaterThan(worst.abs()) ? next : worst));
  return judged(
    NAME,
    atMost(bps(farthest.abs()), maxDeviationBps),
    bps(farthest),
    maxDeviationBps,
    `The settlement token is ${bps(farthest)} bps off one USD where it is farthest; at most ${maxDeviationBps} allowed.`,
  );
};
