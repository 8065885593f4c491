/** Checks of what prices say, and who says it. */
import {
  ageSeconds,
  bps,
  countedReferences,
  disagreementBps,
  eligibleReferences,
  widestConfidenceBps,
} from "../evidence/figures.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import { atMost, type Check, judged, unavailable } from "./check.ts";

/** Enough sources state a reference price of the kind that the policy judges by. */
export const referenceSources: Check = {
  name: "reference-sources",
  judge: (policy, { references, capturedAt }) => {
    const { kind, minSources } = policy.reference;
    const sources = eligibleReferences(policy.reference.kind, references, capturedAt).length;
    return judged(
      sources >= minSources,
      sources,
      minSources,
      `${sources} ${kind} reference source(s); at least ${minSources} needed.`,
    );
  },
};

/** As many sources as the policy asks for are fresh: the age of the last one needed is what counts. */
export const referenceAge: Check = {
  name: "reference-age",
  judge: (policy, { references, capturedAt }) => {
    const { maxAgeSeconds, minSources } = policy.reference;
    const readings = eligibleReferences(policy.reference.kind, references, capturedAt);
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
};

/** The reference sources agree with each other. */
export const referenceAgreement: Check = {
  name: "reference-agreement",
  judge: (policy, { references, capturedAt }) => {
    const limit = policy.reference.maxDisagreementBps;
    const distance = disagreementBps(countedReferences(policy.reference, references, capturedAt));
    if (distance === null) return unavailable(limit, "There is no reference price.");
    return judged(
      atMost(distance, limit),
      distance,
      limit,
      `The reference sources are ${distance} bps apart; at most ${limit} allowed.`,
    );
  },
};

/** No source is unsure of its own price. A source that states no interval is not judged by one. */
export const referenceConfidence: Check = {
  name: "reference-confidence",
  judge: (policy, { references, capturedAt }) => {
    const limit = policy.reference.maxConfidenceBps;
    const counted = countedReferences(policy.reference, references, capturedAt);
    if (counted.length === 0) return unavailable(limit, "There is no reference price.");
    const widest = widestConfidenceBps(counted) ?? "0";
    return judged(
      atMost(widest, limit),
      widest,
      limit,
      `The widest confidence interval is ${widest} bps of its price; at most ${limit} allowed.`,
    );
  },
};

/** Enough of the reference prices that count name who signed them. Whether the signatures hold is checked apart from this. */
export const signedReferences: Check = {
  name: "signed-references",
  judge: (policy, { references, capturedAt }) => {
    const limit = policy.evidence.minSignedReferences;
    const counted = countedReferences(policy.reference, references, capturedAt);
    const signed = counted.filter(({ signer }) => signer !== null).length;
    return judged(
      signed >= limit,
      signed,
      limit,
      `${signed} of ${counted.length} reference price(s) carry their publisher's signatures; at least ${limit} needed.`,
    );
  },
};

/** Of the sources that the registry lists few did not answer. Halts that nobody could ask for are another check's. */
export const failedSources: Check = {
  name: "failed-sources",
  judge: (policy, { failures }) => {
    const limit = policy.evidence.maxFailedSources;
    const names = [...new Set(failures.map(({ asset, source }) => `${source} (${asset})`))];
    const which = names.length === 0 ? "" : `: ${names.join(", ")}`;
    return judged(
      names.length <= limit,
      names.length,
      limit,
      `${names.length} listed source(s) did not answer; at most ${limit} may${which}.`,
    );
  },
};

/** The settlement token is worth its dollar: enough fresh sources say so, and the one farthest off is near enough. */
export const settlementPeg: Check = {
  name: "settlement-peg",
  judge: (policy, { settlement, capturedAt }) => {
    const { minSources, maxAgeSeconds, maxDeviationBps } = policy.settlement;
    const fresh = eligibleReferences("live", settlement, capturedAt).filter(
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
};
