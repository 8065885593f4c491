/** Policies of the vectors: every published version, and made-up ones, so that limits differ. */
import {
  GRADES,
  POLICY_VERSIONS,
  type Policy,
  type PolicyDefinition,
  policyById,
  policyOf,
  SESSIONS,
} from "../../attestor/policies/policy.ts";
import type { Draw } from "./draw.ts";

function madeUp(draw: Draw, number: number): PolicyDefinition {
  return {
    ...policyById("STRICT_LIVE").definition,
    policyId: `MADE_UP_${number}`,
    version: draw.int(1, 9),
    allowedSessions: draw.some(SESSIONS),
    reference: {
      kind: draw.pick(["live", "close"] as const),
      maxAgeSeconds: draw.int(1, 900),
      minSources: draw.int(1, 4),
      maxDisagreementBps: draw.int(0, 300),
      maxConfidenceBps: draw.int(0, 300),
    },
    maxAdversePremiumBps: draw.int(0, 600),
    maxImpactBps: draw.int(0, 300),
    maxSlippageBps: draw.int(0, 400),
    lowestGrade: draw.pick(GRADES),
    minLiquiditySamples: draw.int(0, 20),
    maxQuoteAgeSeconds: draw.int(1, 120),
    notionalCapUsd: String(draw.int(100, 90_000)),
    certificateLifetimeSeconds: draw.int(1, 300),
    settlement: {
      maxAgeSeconds: draw.int(1, 90_000),
      minSources: draw.int(1, 3),
      maxDeviationBps: draw.int(0, 300),
    },
    corporateAction: { marginSeconds: draw.int(0, 7_200), announcementNeeded: draw.once(2) },
    evidence: {
      minSignedReferences: draw.int(0, 2),
      maxFailedSources: draw.int(0, 4),
      quoteProof: draw.pick(["required", "preferred"] as const),
    },
  };
}

const MADE_UP = 20;

/** The published ones come first. */
export function vectorPolicies(draw: Draw): Policy[] {
  const made = Array.from({ length: MADE_UP }, (_, number) =>
    policyOf("Made up for the vectors.", madeUp(draw, number)),
  );
  return [...POLICY_VERSIONS, ...made];
}
