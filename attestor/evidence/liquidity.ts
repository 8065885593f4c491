/** What a liquidity grade means: the one rule that grades samples and checks evidence. */
import { EvidenceDecimal } from "../values/decimal.ts";
import type { Grade } from "../values/market.ts";

/** The window of the rolling medians. */
export const LIQUIDITY_WINDOW_SECONDS = 7 * 86_400;
/** Facts are read one after the other before the moment of judgement, and slow nodes are waited for. */
export const GATHERING_SECONDS = 120;
/** Fewer samples carry no grade. */
export const SUFFICIENT_SAMPLES = 3;
/** A buy that costs a hundred times the price finds no market: a larger impact is recorded as no route. */
export const MOST_IMPACT_BPS = 1_000_000;

const LIMITS: readonly (readonly [Grade, number])[] = [
  ["A", 50],
  ["B", 150],
  ["C", 500],
];

/**
 * Judges the figure as it is published, so that everyone can repeat the grade from the answer.
 * @param impact10kBps median impact of buying for $10k, basis points; null: no route
 */
export function gradeOf(impact10kBps: string | null): Grade {
  if (impact10kBps === null) return "D";
  // A price that improves with the size is no better than one that stays.
  const adverse = EvidenceDecimal.max(0, impact10kBps);
  return LIMITS.find(([, limit]) => adverse.lte(limit))?.[0] ?? "D";
}
