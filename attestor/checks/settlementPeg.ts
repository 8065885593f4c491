import * as z from "zod";
import { ageSeconds, bps, eligibleReferences, settlementRules } from "../evidence/figures.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import { atMost, bpsBound, defineCheck, judged, unavailable } from "./check.ts";

/** The settlement token is worth its dollar: enough fresh sources say so, and the one farthest off is near enough. */
export const settlementPeg = defineCheck({
  name: "settlement-peg",
  bound: {
    settlement: {
      maxAgeSeconds: z.int().min(1).describe("The greatest age of a price of the settlement token, seconds"),
      minSources: z.int().min(1).describe("How many sources must state a price of the settlement token"),
      maxDeviationBps: bpsBound.describe(
        "How far any fresh source's price may be from one US dollar, either way, basis points",
      ),
    },
  },
  measure: { unit: "bps", bound: "size" },
  words: {
    en: "Is the settlement token worth its dollar?",
    zh: "结算代币是否值一美元？",
  },
  judge: (policy, { settlement, capturedAt }) => {
    const { minSources, maxAgeSeconds, maxDeviationBps } = policy.settlement;
    const fresh = eligibleReferences(settlementRules(policy), settlement, capturedAt).filter(
      ({ publishedAt }) => ageSeconds(publishedAt, capturedAt) <= maxAgeSeconds,
    );
    if (fresh.length < minSources)
      return unavailable(
        maxDeviationBps,
        `${fresh.length} source(s) price the settlement token within ${maxAgeSeconds} s; at least ${minSources} needed.`,
      );
    const deviations = fresh.map(({ price }) => new EvidenceDecimal(price).minus(1));
    const farthest = deviations.reduce((worst, next) => (next.abs().greaterThan(worst.abs()) ? next : worst));
    return judged(
      atMost(bps(farthest.abs()), maxDeviationBps),
      bps(farthest),
      maxDeviationBps,
      `The settlement token is ${bps(farthest)} bps off one USD where it is farthest; at most ${maxDeviationBps} allowed.`,
    );
  },
});
