/** The boundaries of the checks of prices and their sources. */
import { id } from "ethers";
import type { ReferencePrice } from "../../../attestor/evidence/facts.ts";
import { priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { signedUpdate } from "../../../devnet/hermes/update.ts";
import { withSigner } from "../../../test/attestor/fixtures.ts";
import { type Boundary, both, NOWHERE, priceText, ratios, reading, withFacts } from "./boundary.ts";
import type { Draft } from "./judgements.ts";

/** A reading of each of these ages, each by a source of its own. */
const aged = (draft: Draft, ages: readonly number[]) =>
  ages.map((age, index) =>
    reading(draft, { provider: `source ${index}`, publishedAt: draft.capturedAt - age }),
  );

export const referenceSources: Boundary = (draft) => {
  const { kind, minSources } = draft.policy.definition.reference;
  const other = kind === "live" ? "close" : "live";
  return both({ pass: [minSources, minSources + 1], fail: [minSources - 1] }, (count) => {
    const own = aged(draft, Array(count).fill(0));
    // One provider counts once, a price of zero not at all, and the other kind neither.
    const again = own.slice(0, 1).map((first) => ({ ...first, publishedAt: first.publishedAt - 3 }));
    const zero = reading(draft, { provider: "zero", price: "0" });
    const references = [...own, ...again, zero, reading(draft, { provider: "other", kind: other })];
    return withFacts(draft, { references });
  });
};

export const referenceAge: Boundary = (draft) => {
  const { minSources, maxAgeSeconds } = draft.policy.definition.reference;
  const others = (age: number) => Array<number>(minSources - 1).fill(age);
  const ages = {
    pass: [
      [...others(0), maxAgeSeconds],
      [...others(-4), -5],
    ],
    fail: [
      [...others(0), maxAgeSeconds + 1],
      [...others(0), -6],
    ],
  };
  return both(ages, (each) => withFacts(draft, { references: aged(draft, each) }));
};

export const referenceAgreement: Boundary = (draft) => {
  const { pass, fail } = ratios(draft.policy.definition.reference.maxDisagreementBps);
  const isAbove = (high: bigint) => high >= 10n ** 12n;
  return both({ pass: pass.filter(isAbove), fail }, (high) => {
    const lowest = reading(draft, { provider: "low", price: "1" });
    return withFacts(draft, {
      references: [lowest, reading(draft, { provider: "high", price: priceText(high) })],
    });
  });
};

export const referenceConfidence: Boundary = (draft) => {
  const { pass, fail } = ratios(draft.policy.definition.reference.maxConfidenceBps);
  const isWidth = (ratio: bigint) => ratio >= 10n ** 12n;
  return both({ pass: pass.filter(isWidth), fail }, (ratio) => {
    const confidence = priceText(ratio - 10n ** 12n);
    const sure = reading(draft, { provider: "sure", price: "1" });
    return withFacts(draft, { references: [reading(draft, { price: "1", confidence }), sure] });
  });
};

export const settlementPeg: Boundary = (draft) => {
  const { minSources, maxDeviationBps, maxAgeSeconds } = draft.policy.definition.settlement;
  const eitherWay = (ratio: bigint) => [ratio, 2n * 10n ** 12n - ratio];
  const { pass, fail } = ratios(maxDeviationBps);
  return both({ pass: pass.flatMap(eitherWay), fail: fail.flatMap(eitherWay) }, (farthest) => {
    const prices = [farthest, ...Array<bigint>(minSources - 1).fill(10n ** 12n)];
    const settlement = prices.map((price, index) => ({
      ...reading(draft, { provider: `source ${index}`, kind: "live", price: priceText(price) }),
      publishedAt: draft.capturedAt - (index === 0 ? maxAgeSeconds : 0),
    }));
    return withFacts(draft, { settlement });
  });
};

const FEED_ID = id("the feed of the vectors");

/** A reading that the local world's test keys signed. */
function signedReading(draft: Draft): ReferencePrice {
  const publishedAt = draft.capturedAt - 1;
  const price = { feedId: FEED_ID, price: 20_000n, confidence: 5n, exponent: -2, publishedAt };
  const proof = priceProofOf(signedUpdate([price], publishedAt), FEED_ID);
  return withSigner(reading(draft, { price: "200", confidence: "0.05", publishedAt, proof, kind: "live" }));
}

/** Two readings of one provider are one source, and what is signed is always of Pyth: one signed reading counts at most. */
export const signedReferences: Boundary = (draft) => {
  const { reference, evidence } = draft.policy.definition;
  if (reference.kind !== "live") return NOWHERE;
  const unsigned = [reading(draft, { provider: "desk" }), reading(draft, { provider: "exchange" })];
  const counts = [0, 1];
  const sides = {
    pass: counts.filter((count) => count >= evidence.minSignedReferences),
    fail: counts.filter((count) => count < evidence.minSignedReferences),
  };
  return both(sides, (count) =>
    withFacts(draft, { references: count === 0 ? unsigned : [signedReading(draft), ...unsigned] }),
  );
};

export const failedSources: Boundary = (draft) => {
  const most = draft.policy.definition.evidence.maxFailedSources;
  return both({ pass: [most], fail: [most + 1] }, (count) => {
    const failures = Array.from({ length: count }, (_, number) => ({
      asset: "stock" as const,
      source: `xstocks ACME${number}x`,
      subject: "announcement" as const,
      reason: "unreachable" as const,
      at: draft.capturedAt,
      rawHash: null,
    }));
    return withFacts(draft, { failures });
  });
};
