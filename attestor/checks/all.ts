/** Every rule, in the order of the report. Each stands in a file of its own. */
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
import { recipient } from "./recipient.ts";
import { referenceAge } from "./referenceAge.ts";
import { referenceAgreement } from "./referenceAgreement.ts";
import { referenceConfidence } from "./referenceConfidence.ts";
import { referenceSources } from "./referenceSources.ts";
import { route } from "./route.ts";
import { session } from "./session.ts";
import { slippage } from "./slippage.ts";
import { tradingHalt } from "./tradingHalt.ts";

export const CHECKS: readonly Check[] = [
  session,
  tradingHalt,
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
