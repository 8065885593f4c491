/** The boundaries of the checks of prices and their sources. */
import { id } from "ethers";
import type { ReferencePrice } from "../../../attestor/evidence/facts.ts";
import { priceProofOf } from "../../../attestor/publishers/pyth/pyth.ts";
import { signedUpdate } from "../../../devnet/hermes/update.ts";
import { withSigner } from "../../../test/attestor/fixtures.ts";
import type { Draft } from "../judgements.ts";
import { type Bend, priceText, ratio, reading, setFacts } from "./bend.ts";

export const referenceSources: Bend = (draft, aim, draw) => {
  const { minSources } = draft.policy.definition.reference;
  const count = aim === "pass" ? minSources + draw.int(0, 1) : minSources - 1;
  const own = Array.from({ length: count }, (_, index) => reading(draft, { provider: `source ${index}` }));
  // One provider counts once, a price of zero not at all, and the other kind neither.
  const noise = [
    ...(count > 0 ? [reading(draft, { provider: "source 0", publishedAt: draft.capturedAt - 3 })] : []),
    reading(draft, { provider: "zero", price: "0" }),
    reading(draft, {
      provider: "other",
      kind: draft.policy.definition.reference.kind === "live" ? "close" : "live",
    }),
  ];
  return setFacts(draft, { references: draw.once(2) ? [...own, ...noise] : [...noise, ...own] });
};

export const referenceAge: Bend = (draft, aim, draw) => {
  const { minSources, maxAgeSeconds } = draft.policy.definition.reference;
  const ahead = draw.once(3);
  const decisive = aim === "pass" ? (ahead ? -5 : maxAgeSeconds) : ahead ? -6 : maxAgeSeconds + 1;
  const others = aim === "pass" && ahead ? -4 : 0;
  const ages = [...Array.from({ length: minSources - 1 }, () => others), decisive];
  return setFacts(draft, {
    references: ages.map((age, index) =>
      reading(draft, { provider: `source ${index}`, publishedAt: draft.capturedAt - age }),
    ),
  });
};

export const referenceAgreement: Bend = (draft, aim, draw) => {
  const high = ratio(draft.policy.definition.reference.maxDisagreementBps, aim, draw);
  const lowest = reading(draft, { provider: "low", price: "1" });
  if (aim === "pass" && high < 10n ** 12n) return false;
  const highest = reading(draft, { provider: "high", price: priceText(high) });
  return setFacts(draft, { references: [lowest, highest] });
};

export const referenceConfidence: Bend = (draft, aim, draw) => {
  const width = ratio(draft.policy.definition.reference.maxConfidenceBps, aim, draw) - 10n ** 12n;
  if (width < 0n) return false;
  return setFacts(draft, {
    references: [
      reading(draft, { price: "1", confidence: priceText(width) }),
      reading(draft, { provider: "sure", price: "1", confidence: draw.pick(["0", null]) }),
    ],
  });
};

export const settlementPeg: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  const { minSources, maxDeviationBps, maxAgeSeconds } = definition.settlement;
  const away = ratio(maxDeviationBps, aim, draw);
  const farthest = draw.once(2) ? away : 2n * 10n ** 12n - away;
  const prices = [farthest, ...Array.from({ length: minSources - 1 }, () => 10n ** 12n)];
  return setFacts(draft, {
    settlement: prices.map((price, index) =>
      reading(draft, {
        provider: `source ${index}`,
        kind: "live",
        price: priceText(price),
        publishedAt: draft.capturedAt - (index === 0 ? maxAgeSeconds : 0),
      }),
    ),
  });
};

const FEED_ID = id("the feed of the vectors");

/** A reading that the local world's test keys signed. */
function signedReading(draft: Draft, provider: number): ReferencePrice {
  const publishedAt = draft.capturedAt - provider;
  const price = { feedId: FEED_ID, price: 20_000n, confidence: 5n, exponent: -2, publishedAt };
  const proof = priceProofOf(signedUpdate([price], publishedAt), FEED_ID);
  return withSigner(reading(draft, { price: "200", confidence: "0.05", publishedAt, proof, kind: "live" }));
}

/** Two readings of one provider are one source, and what is signed is always of Pyth: one signed reading counts at most. */
export const signedReferences: Bend = (draft, aim, draw) => {
  const { definition } = draft.policy;
  if (definition.reference.kind !== "live") return false;
  const needed = definition.evidence.minSignedReferences;
  if (aim === "pass" ? needed > 1 : needed === 0) return false;
  const isSigned = aim === "pass" ? needed === 1 || draw.once(2) : needed === 2 && draw.once(2);
  const others = [reading(draft, { provider: "desk" }), reading(draft, { provider: "exchange" })];
  return setFacts(draft, {
    references: isSigned ? [signedReading(draft, draw.int(0, 1)), ...others] : others,
  });
};

export const failedSources: Bend = (draft, aim, draw) => {
  const most = draft.policy.definition.evidence.maxFailedSources;
  const failures = Array.from({ length: aim === "pass" ? most : most + 1 }, (_, number) => ({
    asset: "stock" as const,
    source: `xstocks ACME${number}x`,
    subject: "announcement" as const,
    reason: "unreachable" as const,
    at: draft.capturedAt - draw.int(0, 5),
    rawHash: null,
  }));
  return setFacts(draft, { failures });
};
