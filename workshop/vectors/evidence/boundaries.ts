/** For each check, judgements on its boundary: the last that passes and the first that fails, also by a rounding. */
import { attest } from "../../../attestor/attest.ts";
import { adversePremium } from "../../../attestor/checks/quote.ts";
import type { Evidence } from "../../../attestor/evidence/evidence.ts";
import { eligibleReferences } from "../../../attestor/evidence/figures.ts";
import { Intent } from "../../../attestor/intent.ts";
import type { PolicyDefinition } from "../../../attestor/policies/policy.ts";
import { widerLimits } from "../../../attestor/policies/tighten.ts";
import { orElse } from "../../../attestor/values/orElse.ts";
import { type Boundary, both, NOWHERE } from "./boundary.ts";
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
import type { Draft } from "./judgements.ts";
import {
  impact,
  minimumByLimit,
  minimumOutput,
  notional,
  premium,
  quoteAge,
  quoteProof,
  slippage,
} from "./quote.ts";
import {
  failedSources,
  referenceAge,
  referenceAgreement,
  referenceConfidence,
  referenceSources,
  settlementPeg,
  signedReferences,
} from "./references.ts";

/** A limit of exactly what is observed, and tighter by one; nowhere if that is wider than the policy's bound. */
function limited(
  name: "maxPremiumBps" | "maxImpactBps" | "maxReferenceAgeSeconds",
  observed: (evidence: Evidence, policy: PolicyDefinition) => string | number | null | undefined,
): Boundary {
  return (draft) => {
    const { definition } = draft.policy;
    const at = orElse(() => observed(attest(draft), definition), null) ?? null;
    if (at === null) return NOWHERE;
    const limit = Math.ceil(Number(at));
    const { pass, fail } = both({ pass: [limit], fail: [limit - 1] }, (bound) => ({
      ...draft,
      intent: { ...draft.intent, limits: { [name]: bound } },
    }));
    const isTighter = ({ intent }: Draft) =>
      Intent.safeParse(intent).success && widerLimits(definition, intent.limits).length === 0;
    return { pass: pass.filter(isTighter), fail: fail.filter(isTighter) };
  };
}

const decisiveAge = ({ references, capturedAt }: Evidence, { reference }: PolicyDefinition) => {
  const decisive = eligibleReferences(reference.kind, references, capturedAt)[reference.minSources - 1];
  return decisive && capturedAt - decisive.publishedAt;
};

/** By the name of the check, with a limit of the intent that tightens the policy or without. */
export const BOUNDARIES: Readonly<Record<string, Boundary>> = {
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
  "premium by a limit": limited("maxPremiumBps", adversePremium),
  "impact by a limit": limited("maxImpactBps", ({ figures }) => figures.impactBps),
  "minimum-output by a limit": minimumByLimit,
  "reference-age by a limit": limited("maxReferenceAgeSeconds", decisiveAge),
};

/** The check that a boundary is of. */
export const checkOf = (boundary: string): string => boundary.replace(" by a limit", "");
