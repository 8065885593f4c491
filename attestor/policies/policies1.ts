/**
 * Version 1 of the policies, with which `assay.evidence/1` is judged. Frozen: reports and certificates name these
 * definitions by their hashes.
 */
import type { PolicyDefinition1 } from "./policyDefinition.ts";

export const POLICIES_1: readonly { readonly description: string; readonly definition: PolicyDefinition1 }[] =
  [
    {
      description:
        "Regular session only, against at least two fresh reference prices that agree, with a tight premium and impact.",
      definition: {
        schema: "assay.policy/1",
        policyId: "STRICT_LIVE",
        version: 1,
        allowedSessions: ["regular"],
        reference: {
          kind: "live",
          maxAgeSeconds: 60,
          minSources: 2,
          maxDisagreementBps: 50,
          maxConfidenceBps: 50,
        },
        maxAdversePremiumBps: 100,
        maxImpactBps: 50,
        maxSlippageBps: 100,
        lowestGrade: "B",
        minLiquiditySamples: 3,
        maxQuoteAgeSeconds: 60,
        notionalCapUsd: "50000",
        certificateLifetimeSeconds: 120,
      },
    },
    {
      description:
        "Pre-market, regular and post-market sessions, against one fresh reference price, with wider bands and half the size.",
      definition: {
        schema: "assay.policy/1",
        policyId: "EXTENDED_HOURS",
        version: 1,
        allowedSessions: ["pre-market", "regular", "post-market"],
        reference: {
          kind: "live",
          maxAgeSeconds: 300,
          minSources: 1,
          maxDisagreementBps: 100,
          maxConfidenceBps: 100,
        },
        maxAdversePremiumBps: 200,
        maxImpactBps: 100,
        maxSlippageBps: 200,
        lowestGrade: "C",
        minLiquiditySamples: 3,
        maxQuoteAgeSeconds: 60,
        notionalCapUsd: "25000",
        certificateLifetimeSeconds: 180,
      },
    },
    {
      description:
        "Any time, judged against the last official close, for small sizes only and with the widest bands.",
      definition: {
        schema: "assay.policy/1",
        policyId: "LAST_CLOSE",
        version: 1,
        allowedSessions: ["overnight", "pre-market", "regular", "post-market", "closed"],
        // Five days: a long weekend lies between two closes.
        reference: {
          kind: "close",
          maxAgeSeconds: 432_000,
          minSources: 1,
          maxDisagreementBps: 100,
          maxConfidenceBps: 100,
        },
        maxAdversePremiumBps: 500,
        maxImpactBps: 150,
        maxSlippageBps: 300,
        lowestGrade: "C",
        minLiquiditySamples: 3,
        maxQuoteAgeSeconds: 60,
        notionalCapUsd: "5000",
        certificateLifetimeSeconds: 300,
      },
    },
  ];
