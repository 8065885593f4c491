import { ageSeconds, eligibleReferences } from "../evidence/figures.ts";
import { type Check, judged, unavailable } from "./finding.ts";

/** As many sources as the policy asks for are fresh: the age of the last one needed is what counts. */
export const referenceAge: Check = (policy, { references, capturedAt }) => {
  const { maxAgeSeconds, minSources } = policy.reference;
  const readings = eligibleReferences(policy, references, capturedAt);
  const decisive = readings[Math.min(minSources, readings.length) - 1];
  if (decisive === undefined)
    return unavailable("reference-age", maxAgeSeconds, "There is no reference price.");
  const age = ageSeconds(decisive.publishedAt, capturedAt);
  return judged(
    "reference-age",
    age <= maxAgeSeconds,
    Number.isFinite(age) ? age : capturedAt - decisive.publishedAt,
    maxAgeSeconds,
    Number.isFinite(age)
      ? `The reference price of ${decisive.provider} is ${age} s old; at most ${maxAgeSeconds} s allowed.`
      : `The reference price of ${decisive.provider} is ${decisive.publishedAt - capturedAt} s ahead of the clock.`,
  );
};
