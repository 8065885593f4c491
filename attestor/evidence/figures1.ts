/** The figures of `assay.evidence/1`, frozen: a settlement token is one USD, and every price is divided by the shares per token. */

import type { Intent } from "../intent.ts";
import type { PolicyDefinition1 } from "../policies/policyDefinition.ts";
import { EvidenceDecimal } from "../values/decimal.ts";
import type { Facts1, Figures1, TradeFacts1 } from "./evidence1.ts";
import {
  bps,
  countedReferences,
  impactBps,
  median,
  minAmountOutOf,
  tinyPrice,
  usd,
  whole,
} from "./figures.ts";

/**
 * @param intent what the agent fixed
 * @param trade side and decimals
 * @param facts what the outside world says
 * @param capturedAt unix seconds of the judgement
 */
export function figures1Of(
  definition: PolicyDefinition1,
  intent: Intent,
  trade: TradeFacts1,
  facts: Facts1,
  capturedAt: number,
): Figures1 {
  const { quote, token } = facts;

  const referencePrice = median(
    countedReferences(definition, facts.references, capturedAt).map(
      (reading) => new EvidenceDecimal(reading.price),
    ),
  );
  const shares = token === null ? null : new EvidenceDecimal(token.sharesPerToken);

  const impact = quote === null ? null : impactBps(quote);
  const tiny = quote === null || impact === null ? null : tinyPrice(quote, trade);
  const tokenPricePerShare = tiny && shares !== null && !shares.isZero() ? tiny.dividedBy(shares) : null;

  let notional: EvidenceDecimal | null = null;
  if (trade.side === "buy") notional = whole(intent.amountInRaw, trade.inputDecimals);
  else if (quote !== null) notional = whole(quote.amountOutRaw, trade.outputDecimals);

  return {
    notionalUsd: notional && usd(notional),
    referencePriceUsd: referencePrice && usd(referencePrice),
    tokenPricePerShareUsd: tokenPricePerShare && usd(tokenPricePerShare),
    premiumBps:
      tokenPricePerShare && referencePrice && bps(tokenPricePerShare.dividedBy(referencePrice).minus(1)),
    impactBps: impact,
    minAmountOutRaw: quote && minAmountOutOf(quote, intent.maxSlippageBps),
  };
}
