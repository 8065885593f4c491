/**
 * For each check, judgements on its boundary: the observed value is exactly at the limit, the smallest step past it,
 * or on either side of a rounding.
 */
import { attest } from "../../../attestor/attest.ts";
import { adversePremium } from "../../../attestor/checks/quote.ts";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { eligibleReferences } from "../../../attestor/evidence/figures.ts";
import { Intent } from "../../../attestor/intent.ts";
import type { PolicyDefinition } from "../../../attestor/policies/policy.ts";
import { widerLimits } from "../../../attestor/policies/tighten.ts";
import { orElse } from "../../../attestor/values/orElse.ts";
import type { Draw } from "../draw.ts";
import type { Draft } from "../judgements.ts";
import type { Bend } from "./bend.ts";
import {
  corporateAction,
  guardActive,
  guardSigner,
  liquidityGrade,
  liquiditySamples,
  recipient,
  route,
  session,
  tradingHalt,
} from "./circumstances.ts";
import { impact, minimumOutput, notional, premium, quoteAge, quoteProof, slippage } from "./quote.ts";
import {
  failedSources,
  referenceAge,
  referenceAgreement,
  referenceConfidence,
  referenceSources,
  settlementPeg,
  signedReferences,
} from "./references.ts";

/** A limit of exactly what is observed, or tighter by one. @returns false where that is wider than the policy's bound */
function limited(
  name: "maxPremiumBps" | "maxImpactBps" | "maxReferenceAgeSeconds",
  observed: (evidence: Evidence, policy: PolicyDefinition) => string | number | null | undefined,
): Bend {
  return (draft, aim) => {
    const { definition } = draft.policy;
    const at = orElse(() => observed(attest(draft), definition), null);
    if (at === null || at === undefined) return false;
    draft.intent = { ...draft.intent, limits: { [name]: Math.ceil(Number(at)) - (aim === "pass" ? 0 : 1) } };
    return (
      Intent.safeParse(draft.intent).success && widerLimits(definition, draft.intent.limits).length === 0
    );
  };
}

/** Boundaries of checks whose policy an intent's limit tightens. */
const LIMITS: Readonly<Record<string, Bend>> = {
  "premium by a limit": limited("maxPremiumBps", adversePremium),
  "impact by a limit": limited("maxImpactBps", ({ figures }) => figures.impactBps),
  "minimum-output by a limit": (draft, aim) => {
    if (draft.facts.quote === null) return false;
    const least = BigInt(draft.facts.quote.amountOutRaw) + (aim === "pass" ? 0n : 1n);
    draft.intent = { ...draft.intent, limits: { minAmountOutRaw: least.toString() } };
    return least > 0n;
  },
  "reference-age by a limit": limited(
    "maxReferenceAgeSeconds",
    ({ references, capturedAt }, { reference }) => {
      const decisive = eligibleReferences(reference.kind, references, capturedAt)[reference.minSources - 1];
      return decisive && capturedAt - decisive.publishedAt;
    },
  ),
};

/** By the name of the check, with a limit of the intent or without. */
export const BENDS: Readonly<Record<string, Bend>> = {
  session,
  "trading-halt": tradingHalt,
  "corporate-action": corporateAction,
  "settlement-peg": settlementPeg,
  "reference-sources": referenceSources,
  "reference-age": referenceAge,
  "reference-agreement": referenceAgreement,
  "reference-confidence": referenceConfidence,
  premium,
  impact,
  "minimum-output": minimumOutput,
  slippage,
  notional,
  "liquidity-grade": liquidityGrade,
  "liquidity-samples": liquiditySamples,
  "quote-age": quoteAge,
  route,
  recipient,
  "signed-references": signedReferences,
  "failed-sources": failedSources,
  "quote-proof": quoteProof,
  "guard-active": guardActive,
  "guard-signer": guardSigner,
  ...LIMITS,
};

/** The check that a boundary is of. */
export const checkOf = (bend: string): string => bend.replace(" by a limit", "");

/** Bends a draft to one side of a check's boundary. @returns false where this draft cannot be brought there */
export function bendTo(bend: string, draft: Draft, aim: "pass" | "fail", draw: Draw): boolean {
  return BENDS[bend]?.(draft, aim, draw) ?? false;
}
