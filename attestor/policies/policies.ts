/**
 * Version 3 of the policies, the first that is given out. What facts must rest on here is what every deployment can give;
 * a policy of the reader's own can demand more.
 */
import type { PolicyDefinition } from "./policyDefinition.ts";

/**
 * Chainlink's feeds of dollar tokens write when the price moved, and else once a day: a limit below that would deny a
 * dollar because it stands still.
 */
const DOLLAR_AGE_SECONDS = 90_000;

/** Written out: a check that this program learns later is none of this version's. */
const checks: PolicyDefinition["checks"] = [
  "session",
  "trading-halt",
  "corporate-action",
  "settlement-peg",
  "reference-sources",
  "reference-age",
  "reference-agreement",
  "reference-confidence",
  "premium",
  "route",
  "impact",
  "minimum-output",
  "slippage",
  "notional",
  "liquidity-grade",
  "liquidity-samples",
  "quote-age",
  "recipient",
  "guard-active",
  "guard-signer",
  "signed-references",
  "quote-proof",
];

const evidence: PolicyDefinition["evidence"] = { minSignedReferences: 0, quoteProof: "preferred" };

export const POLICIES_3: readonly { readonly description: string; readonly definition: PolicyDefinition }[] =
  [
    {
      description:
        "Regular session only, against at least two fresh reference prices that agree, with a tight premium and impact, a dollar token at its peg as two sources see it, and no change of the shares per token within the hour.",
      definition: {
        schema: "assay.policy/2",
        policyId: "STRICT_LIVE",
        version: 3,
        checks: [...checks],
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
        settlement: { maxAgeSeconds: DOLLAR_AGE_SECONDS, minSources: 2, maxDeviationBps: 100 },
        corporateAction: { marginSeconds: 3_600, announcementNeeded: true },
        evidence: { ...evidence },
        certificateLifetimeSeconds: 120,
      },
    },
    {
      description:
        "Pre-market, regular and post-market sessions, against one fresh reference price, with wider bands and half the size, a dollar token at its peg, and no change of the shares per token within the hour.",
      definition: {
        schema: "assay.policy/2",
        policyId: "EXTENDED_HOURS",
        version: 3,
        checks: [...checks],
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
        settlement: { maxAgeSeconds: DOLLAR_AGE_SECONDS, minSources: 1, maxDeviationBps: 100 },
        corporateAction: { marginSeconds: 3_600, announcementNeeded: true },
        evidence: { ...evidence },
        certificateLifetimeSeconds: 180,
      },
    },
    {
      description:
        "Any time, judged against the last official close, for small sizes only and with the widest bands, and no announced change of the shares per token within a day.",
      definition: {
        schema: "assay.policy/2",
        policyId: "LAST_CLOSE",
        version: 3,
        checks: [...checks],
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
        settlement: { maxAgeSeconds: DOLLAR_AGE_SECONDS, minSources: 1, maxDeviationBps: 200 },
        // A close may be of before a change, and the price of after it: a day around it is left out.
        corporateAction: { marginSeconds: 86_400, announcementNeeded: false },
        evidence: { ...evidence },
        certificateLifetimeSeconds: 300,
      },
    },
  ];
