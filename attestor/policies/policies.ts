/**
 * Version 3 of the policies, the first published one. Readers can write policies that demand stronger sources of
 * facts.
 */
import type { BoundShape, Check, RulesOf } from "../checks/check.ts";
import { guardActive, guardSigner, recipient, route } from "../checks/guard.ts";
import { liquidityGrade, liquiditySamples } from "../checks/liquidity.ts";
import { impact, minimumOutput, notional, premium, quoteAge, quoteProof, slippage } from "../checks/quote.ts";
import {
  failedSources,
  referenceAge,
  referenceAgreement,
  referenceConfidence,
  referenceSources,
  settlementPeg,
  signedReferences,
} from "../checks/references.ts";
import { corporateAction, session, tradingHalt } from "../checks/session.ts";

/** What is a policy's own. */
export const POLICIES_3 = [
  {
    description:
      "Regular session only, against at least two fresh reference prices that agree, one of them signed by its publisher. Tight premium and impact, a dollar token at its peg by two sources, and no change of the shares per token within the hour.",
    rules: {
      policyId: "STRICT_LIVE",
      version: 3,
      reference: { kind: "live" },
      certificateLifetimeSeconds: 120,
    },
  },
  {
    description:
      "Pre-market, regular and post-market sessions, against one fresh reference price. Wider bands, half the size, a dollar token at its peg, and no change of the shares per token within the hour.",
    rules: {
      policyId: "EXTENDED_HOURS",
      version: 3,
      reference: { kind: "live" },
      certificateLifetimeSeconds: 180,
    },
  },
  {
    description:
      "Any time, judged against the last official close, for small sizes only and with the widest bands, and no announced change of the shares per token within a day.",
    rules: {
      policyId: "LAST_CLOSE",
      version: 3,
      reference: { kind: "close" },
      certificateLifetimeSeconds: 300,
    },
  },
] as const;

/**
 * Chainlink's feeds of dollar tokens write when the price moved, and else once a day: a limit below that would deny a
 * dollar because it stands still.
 */
const DOLLAR_AGE_SECONDS = 90_000;

/** A check and its bound in STRICT_LIVE, EXTENDED_HOURS and LAST_CLOSE; none where it has no bound. */
function bounds<Name extends string, Bound extends BoundShape>(
  check: Check<Name, Bound>,
  ...three: RulesOf<Bound>[]
) {
  return { check, three };
}

/** The same bound in all of them. */
const bound = <Name extends string, Bound extends BoundShape>(
  check: Check<Name, Bound>,
  rules: RulesOf<Bound>,
) => bounds(check, rules, rules, rules);

/** A line for each check, in the order of the report. */
export const CHECK_BOUNDS_3 = [
  bounds(
    session,
    { allowedSessions: ["regular"] },
    { allowedSessions: ["pre-market", "regular", "post-market"] },
    { allowedSessions: ["overnight", "pre-market", "regular", "post-market", "closed"] },
  ),
  bounds(tradingHalt),
  bounds(
    corporateAction,
    { corporateAction: { marginSeconds: 3_600, announcementNeeded: true } },
    { corporateAction: { marginSeconds: 3_600, announcementNeeded: true } },
    // A close may be of before a change, and the price of after it: a day around it is left out.
    { corporateAction: { marginSeconds: 86_400, announcementNeeded: false } },
  ),
  bounds(
    settlementPeg,
    { settlement: { maxAgeSeconds: DOLLAR_AGE_SECONDS, minSources: 2, maxDeviationBps: 100 } },
    { settlement: { maxAgeSeconds: DOLLAR_AGE_SECONDS, minSources: 1, maxDeviationBps: 100 } },
    { settlement: { maxAgeSeconds: DOLLAR_AGE_SECONDS, minSources: 1, maxDeviationBps: 200 } },
  ),
  bounds(
    referenceSources,
    { reference: { minSources: 2 } },
    { reference: { minSources: 1 } },
    { reference: { minSources: 1 } },
  ),
  bounds(
    referenceAge,
    { reference: { maxAgeSeconds: 60 } },
    { reference: { maxAgeSeconds: 300 } },
    // Five days: a long weekend lies between two closes.
    { reference: { maxAgeSeconds: 432_000 } },
  ),
  bounds(
    referenceAgreement,
    { reference: { maxDisagreementBps: 50 } },
    { reference: { maxDisagreementBps: 100 } },
    { reference: { maxDisagreementBps: 100 } },
  ),
  bounds(
    referenceConfidence,
    { reference: { maxConfidenceBps: 50 } },
    { reference: { maxConfidenceBps: 100 } },
    { reference: { maxConfidenceBps: 100 } },
  ),
  bounds(
    premium,
    { maxAdversePremiumBps: 100 },
    { maxAdversePremiumBps: 200 },
    { maxAdversePremiumBps: 500 },
  ),
  bounds(route),
  bounds(impact, { maxImpactBps: 50 }, { maxImpactBps: 100 }, { maxImpactBps: 150 }),
  bounds(minimumOutput),
  bounds(slippage, { maxSlippageBps: 100 }, { maxSlippageBps: 200 }, { maxSlippageBps: 300 }),
  bounds(notional, { notionalCapUsd: "50000" }, { notionalCapUsd: "25000" }, { notionalCapUsd: "5000" }),
  bounds(liquidityGrade, { lowestGrade: "B" }, { lowestGrade: "C" }, { lowestGrade: "C" }),
  bound(liquiditySamples, { minLiquiditySamples: 3 }),
  bound(quoteAge, { maxQuoteAgeSeconds: 60 }),
  bounds(recipient),
  bounds(guardActive),
  bounds(guardSigner),
  bounds(
    signedReferences,
    { evidence: { minSignedReferences: 1 } },
    { evidence: { minSignedReferences: 0 } },
    { evidence: { minSignedReferences: 0 } },
  ),
  bounds(
    failedSources,
    { evidence: { maxFailedSources: 2 } },
    { evidence: { maxFailedSources: 2 } },
    { evidence: { maxFailedSources: 4 } },
  ),
  bound(quoteProof, { evidence: { quoteProof: "preferred" } }),
];
