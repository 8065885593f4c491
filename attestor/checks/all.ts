/** Every rule by its name, and which of them a schema is judged by. Each stands in a file of its own. */
import type { Evidence2 } from "../evidence/evidence.ts";
import type { Evidence1 } from "../evidence/evidence1.ts";
import type { CheckName, PolicyDefinition1, PolicyDefinition2 } from "../policies/policyDefinition.ts";
import type { GuardianSets } from "../pyth/guardianSets.ts";
import { corporateAction } from "./corporateAction.ts";
import type { Check, Finding } from "./finding.ts";
import { guardActive } from "./guardActive.ts";
import { guardSigner } from "./guardSigner.ts";
import { impact } from "./impact.ts";
import { liquidityGrade } from "./liquidityGrade.ts";
import { liquiditySamples } from "./liquiditySamples.ts";
import { minimumOutput } from "./minimumOutput.ts";
import { notional } from "./notional.ts";
import { premium } from "./premium.ts";
import { quoteAge } from "./quoteAge.ts";
import { quoteProof } from "./quoteProof.ts";
import { recipient } from "./recipient.ts";
import { referenceAge } from "./referenceAge.ts";
import { referenceAgreement } from "./referenceAgreement.ts";
import { referenceConfidence } from "./referenceConfidence.ts";
import { referenceSources } from "./referenceSources.ts";
import { route } from "./route.ts";
import { session } from "./session.ts";
import { settlementPeg } from "./settlementPeg.ts";
import { signedReferences } from "./signedReferences.ts";
import { slippage } from "./slippage.ts";
import { tradingHalt } from "./tradingHalt.ts";
import { tradingHalt1 } from "./tradingHalt1.ts";

/** What `assay.evidence/1` is judged by, in the order of the report. Frozen. */
export const CHECKS_1: readonly Check<PolicyDefinition1, Evidence1>[] = [
  session,
  tradingHalt1,
  referenceSources,
  referenceAge,
  referenceAgreement,
  referenceConfidence,
  premium,
  route,
  impact,
  minimumOutput,
  slippage,
  notional,
  liquidityGrade,
  liquiditySamples,
  quoteAge,
  recipient,
  guardActive,
  guardSigner,
];

/** As `Check`; signatures are held against the guardian sets that the reader knows. */
type Check2 = (policy: PolicyDefinition2, evidence: Evidence2, sets: GuardianSets) => Finding;

/** What `assay.evidence/2` can be judged by; the policy names which, and in which order. */
export const CHECKS_2: Readonly<Record<CheckName, Check2>> = {
  session,
  "trading-halt": tradingHalt,
  "corporate-action": corporateAction,
  "settlement-peg": settlementPeg,
  "reference-sources": referenceSources,
  "reference-age": referenceAge,
  "reference-agreement": referenceAgreement,
  "reference-confidence": referenceConfidence,
  premium,
  route,
  impact,
  "minimum-output": minimumOutput,
  slippage,
  notional,
  "liquidity-grade": liquidityGrade,
  "liquidity-samples": liquiditySamples,
  "quote-age": quoteAge,
  recipient,
  "guard-active": guardActive,
  "guard-signer": guardSigner,
  "signed-references": signedReferences,
  "quote-proof": quoteProof,
};
