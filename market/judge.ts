/** Judges prices as they come in: each against the one before it, and a reference by its age. */
import { type ImplausibleReason, judgePrice, type PricePoint } from "./providers/plausible.ts";
import type { StockPrice } from "./sources.ts";

/** So many absurd prices in a row that agree with each other are a new level: a split, or a first price that was wrong. */
const CONVINCING = 3;

/** While the stock trades, an older price is none. */
const FRESH_SECONDS = 15 * 60;
/** While it does not, its last price stays the reference: over a long weekend. */
const LAST_PRICE_SECONDS = 5 * 86_400;

interface Level {
  readonly accepted: PricePoint;
  readonly doubted: PricePoint | null;
  readonly times: number;
}

export interface PriceJudge {
  /**
   * @param series whose price: figures of one series follow each other
   * @param at unix seconds; null: the price has no time of its own
   * @param now unix seconds
   * @returns why the price cannot be true; null: it can
   */
  judge(series: string, price: string, at: number | null, now: number): ImplausibleReason | null;
}

export function createPriceJudge(): PriceJudge {
  const levels = new Map<string, Level>();
  return {
    judge(series, price, at, now) {
      const level = levels.get(series);
      const verdict = judgePrice({ price, at }, level?.accepted ?? null, now);
      const point = { price, at: at ?? now };
      if (verdict.accepted) {
        levels.set(series, { accepted: point, doubted: null, times: 0 });
        return null;
      }
      if (verdict.reason !== "absurd_jump" || !level) return verdict.reason;
      const agrees = judgePrice(point, level.doubted, now).accepted;
      const times = agrees ? level.times + 1 : 1;
      if (times < CONVINCING) {
        levels.set(series, { ...level, doubted: point, times });
        return verdict.reason;
      }
      levels.set(series, { accepted: point, doubted: null, times: 0 });
      return null;
    },
  };
}

/**
 * Whether a stock's price may serve as the reference now. One of unknown age may: it is labelled with its
 * source, and sources of that kind come last.
 * @param now unix seconds
 */
export function countsAsReference({ publishedAt }: StockPrice, session: string, now: number): boolean {
  if (publishedAt === null) return true;
  return now - publishedAt <= (session === "regular" ? FRESH_SECONDS : LAST_PRICE_SECONDS);
}
