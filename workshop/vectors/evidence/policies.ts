/** Policies of the vectors: every published version, and made-up ones, so that limits differ. */
import fc from "fast-check";
import {
  GRADES,
  POLICY_VERSIONS,
  type Policy,
  type PolicyDefinition,
  policyOf,
  SESSIONS,
} from "../../../attestor/policies/policy.ts";

const upTo = (max: number) => fc.integer({ min: 0, max });
const from1To = (max: number) => fc.integer({ min: 1, max });

const definitions: fc.Arbitrary<Omit<PolicyDefinition, "policyId">> = fc.record({
  schema: fc.constant(POLICY_VERSIONS[0]!.definition.schema),
  version: from1To(9),
  allowedSessions: fc.subarray([...SESSIONS], { minLength: 1 }),
  reference: fc.record({
    kind: fc.constantFrom("live" as const, "close" as const),
    maxAgeSeconds: from1To(900),
    minSources: from1To(4),
    maxDisagreementBps: upTo(300),
    maxConfidenceBps: upTo(300),
  }),
  maxAdversePremiumBps: upTo(600),
  maxImpactBps: upTo(300),
  maxSlippageBps: upTo(400),
  lowestGrade: fc.constantFrom(...GRADES),
  minLiquiditySamples: upTo(20),
  maxQuoteAgeSeconds: from1To(120),
  notionalCapUsd: fc.integer({ min: 100, max: 90_000 }).map(String),
  certificateLifetimeSeconds: from1To(300),
  settlement: fc.record({
    maxAgeSeconds: from1To(90_000),
    minSources: from1To(3),
    maxDeviationBps: upTo(300),
  }),
  corporateAction: fc.record({ marginSeconds: upTo(7_200), announcementNeeded: fc.boolean() }),
  evidence: fc.record({
    minSignedReferences: upTo(2),
    maxFailedSources: upTo(4),
    quoteProof: fc.constantFrom("required" as const, "preferred" as const),
  }),
});

const MADE_UP = 20;

/** The published ones come first. */
export function vectorPolicies(seed: number): Policy[] {
  const made = fc.sample(definitions, { seed, numRuns: MADE_UP });
  return [
    ...POLICY_VERSIONS,
    ...made.map((drawn, number) => {
      // A clone: what fast-check draws has no prototype, and no canonical form.
      const definition = structuredClone({ ...drawn, policyId: `MADE_UP_${number}` });
      return policyOf("Made up for the vectors.", definition);
    }),
  ];
}
