/** Every rule by its name. Each stands in a file of its own. */
import type { CheckName } from "../policies/policyDefinition.ts";
import { corporateAction } from "./corporateAction.ts";
import type { Check } from "./finding.ts";
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

/** The policy names which of them judge, and in which order. */
export const CHECKS: Readonly<Record<CheckName, Check>> = {
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
