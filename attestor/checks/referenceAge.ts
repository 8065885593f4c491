import * as z from "zod";
import { ageSeconds, eligibleReferences } from "../evidence/figures.ts";
import { defineCheck, judged, unavailable } from "./check.ts";
import { most } from "./measure.ts";

/** As many sources as the policy asks for are fresh: the age of the last one needed is what counts. */
export const referenceAge = defineCheck({
  name: "reference-age",
  bound: {
    reference: {
      maxAgeSeconds: z.int().min(1).describe("The greatest age of a reference price, seconds"),
    },
  },
  measure: most("s"),
  words: {
    en: "Is the newest price of the stock new enough?",
    zh: "最新的股票价格是否足够新？",
  },
  judge: (policy, { references, capturedAt }) => {
    const { maxAgeSeconds, minSources } = policy.reference;
    const readings = eligibleReferences(policy, references, capturedAt);
    const decisive = readings[Math.min(minSources, readings.length) - 1];
    if (decisive === undefined) return unavailable(maxAgeSeconds, "There is no reference price.");
    const age = ageSeconds(decisive.publishedAt, capturedAt);
    return judged(
      age <= maxAgeSeconds,
      Number.isFinite(age) ? age : capturedAt - decisive.publishedAt,
      maxAgeSeconds,
      Number.isFinite(age)
        ? `The reference price of ${decisive.provider} is ${age} s old; at most ${maxAgeSeconds} s allowed.`
        : `The reference price of ${decisive.provider} is ${decisive.publishedAt - capturedAt} s ahead of the clock.`,
    );
  },
});
