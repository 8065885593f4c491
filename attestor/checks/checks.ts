/** Every check, in the order of the report. Each is made under every policy. */
import type { Check } from "./check.ts";
import { guardActive, guardSigner, recipient, route } from "./guard.ts";
import { liquidityGrade, liquiditySamples } from "./liquidity.ts";
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
import { corporateAction, session, tradingHalt } from "./session.ts";

export const CHECKS: readonly Check[] = [
  session,
  tradingHalt,
  corporateAction,
  settlementPeg,
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
  signedReferences,
  failedSources,
  quoteProof,
];
