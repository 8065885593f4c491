/**
 * Which figures cannot be true: each price against the one before it. What is turned away is turned away with
 * a reason that can be stored.
 */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { ProviderDecimal } from "../providers/values.ts";

export interface PlausibilityRule {
  /** A price more than so many times the previous one, or less than one such part of it, is absurd. */
  readonly maxFactor: string;
  /** How far ahead of ours a provider's clock may run. */
  readonly maxAheadSeconds: number;
  /** An older previous price is no measure any more: the stock may have split. */
  readonly previousCountsSeconds: number;
}

/** Five times within four days, a long weekend, is beyond any stock and below the usual unit slips. */
export const DEFAULT_RULE: PlausibilityRule = {
  maxFactor: "5",
  maxAheadSeconds: 120,
  previousCountsSeconds: 4 * 86_400,
};

export interface PricePoint {
  /** Decimal text. */
  readonly price: string;
  readonly at: UnixSeconds;
}

export type ImplausibleReason = "not_a_number" | "not_positive" | "clock_ahead" | "absurd_jump";

export type Verdict =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      readonly reason: ImplausibleReason;
      /** The figure that was judged and the one it was compared with, as decimal text. */
      readonly observed: string;
      readonly limit: string | null;
    };

/**
 * Pure. A point without a time of its own is judged as of `now`.
 * @param now unix seconds by our clock
 * @param previous the last accepted point of the same series; null for the first
 */
export function judgePrice(
  point: { readonly price: string; readonly at: number | null },
  previous: PricePoint | null,
  now: number,
  rule: PlausibilityRule = DEFAULT_RULE,
): Verdict {
  const price = finite(point.price);
  if (!price) return { accepted: false, reason: "not_a_number", observed: "NaN", limit: null };
  const observed = price.toFixed();
  if (price.lte(0)) return { accepted: false, reason: "not_positive", observed, limit: "0" };
  const at = point.at ?? now;
  if (at - now > rule.maxAheadSeconds)
    return {
      accepted: false,
      reason: "clock_ahead",
      observed: String(at - now),
      limit: String(rule.maxAheadSeconds),
    };
  const counts = previous !== null && Math.abs(at - previous.at) <= rule.previousCountsSeconds;
  const known = counts ? finite(previous.price) : null;
  if (known?.gt(0)) {
    // Multiplied rather than divided, which would round.
    const absurd = price.gt(known.times(rule.maxFactor)) || price.times(rule.maxFactor).lt(known);
    if (absurd) return { accepted: false, reason: "absurd_jump", observed, limit: known.toFixed() };
  }
  return { accepted: true };
}

function finite(text: string): InstanceType<typeof ProviderDecimal> | null {
  try {
    const value = new ProviderDecimal(text);
    return value.isFinite() ? value : null;
  } catch {
    return null;
  }
}

/** So many absurd prices in a row that agree with each other are a new level: a split, or a first price that was wrong. */
const CONVINCING = 3;

interface Level {
  readonly accepted: PricePoint;
  readonly doubted: PricePoint | null;
  readonly times: number;
}

export type PriceJudge = ReturnType<typeof createPriceJudge>;

export function createPriceJudge() {
  const levels = new Map<string, Level>();
  return {
    /**
     * @param series whose price: figures of one series follow each other
     * @param at unix seconds; null: the price has no time of its own
     * @param now unix seconds
     * @returns why the price cannot be true; null: it can
     */
    judge(series: string, price: string, at: number | null, now: number) {
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
