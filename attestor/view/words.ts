/** What a report says, in words. Names of steps and facts stay the method's. */
import { cut, grouped } from "./amounts.ts";
import { filled } from "./language.ts";
import REPORT_WORDS from "./words.json" with { type: "json" };

export { REPORT_WORDS };

export interface TradeWords {
  readonly side: "buy" | "sell";
  readonly symbol: string;
  /** The stock. */
  readonly underlying: string;
  readonly settlementSymbol: string;
  /** Whole tokens, a decimal. */
  readonly amountIn: string;
  /** Whole tokens, a decimal; null without a quote. */
  readonly minAmountOut: string | null;
}

/** Digits of an amount that the sentence shows. */
const DIGITS = 6;

/** What was asked for, in one sentence. */
export function tradeSentence(trade: TradeWords): string {
  const { side, symbol, underlying, settlementSymbol: settlement, amountIn, minAmountOut } = trade;
  const amount = grouped(amountIn);
  if (minAmountOut === null)
    return filled(REPORT_WORDS.trade[side].some, { symbol, underlying, settlement, amount });
  const least = grouped(cut(minAmountOut, DIGITS));
  return filled(REPORT_WORDS.trade[side].atLeast, { symbol, underlying, settlement, amount, least });
}

/** What was asked for, and the decision as its service states it: for a page that judges nothing. */
export function statedSentence(trade: TradeWords, decision: "ALLOW" | "DENY"): string {
  return filled(REPORT_WORDS.stated, {
    trade: tradeSentence(trade),
    decision: REPORT_WORDS.decisions[decision],
  });
}

export function figureName(name: string): string {
  const { figures } = REPORT_WORDS;
  return Object.hasOwn(figures, name) ? figures[name as keyof typeof figures] : name;
}
