/**
 * Which figures cannot be true: each price against the one before it. What is turned away is turned away with
 * a reason that can be stored.
 */
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { ProviderDecimal } from "../providers/values.ts";
import { MAX_AHEAD_SECONDS, type Rejection } from "../series/rejected.ts";
import type { Statement } from "../statement.ts";

/** Five times within four days, a long weekend, is beyond any stock and below the usual unit slips. */
const MAX_FACTOR = "5";
/** An older previous price is no measure any more: the stock may have split. */
export const PREVIOUS_COUNTS_SECONDS = 4 * 86_400;

export interface PricePoint {
  /** Decimal text. */
  readonly price: string;
  readonly at: UnixSeconds;
}

/**
 * Pure. A point without a time of its own is judged as of `now`.
 * @param now unix seconds by our clock
 * @param previous the last accepted point of the same series; null for the first
 * @returns why the price cannot be true; null: it can
 */
export function judgePrice(
  point: { readonly price: string; readonly at: number | null },
  previous: PricePoint | null,
  now: number,
): "not_a_number" | "not_positive" | "clock_ahead" | "absurd_jump" | null {
  const price = finite(point.price);
  if (!price) return "not_a_number";
  if (price.lte(0)) return "not_positive";
  const at = point.at ?? now;
  if (at - now > MAX_AHEAD_SECONDS) return "clock_ahead";
  const counts = previous !== null && Math.abs(at - previous.at) <= PREVIOUS_COUNTS_SECONDS;
  const lastPrice = counts ? finite(previous.price) : null;
  if (!lastPrice?.gt(0)) return null;
  // Multiplied rather than divided, which would round.
  const isAbsurd = price.gt(lastPrice.times(MAX_FACTOR)) || price.times(MAX_FACTOR).lt(lastPrice);
  return isAbsurd ? "absurd_jump" : null;
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
      const reason = judgePrice({ price, at }, level?.accepted ?? null, now);
      const point = { price, at: at ?? now };
      if (reason === "absurd_jump" && level) {
        const agrees = judgePrice(point, level.doubted, now) === null;
        const times = agrees ? level.times + 1 : 1;
        if (times < CONVINCING) {
          levels.set(series, { ...level, doubted: point, times });
          return reason;
        }
      } else if (reason !== null) return reason;
      levels.set(series, { accepted: point, doubted: null, times: 0 });
      return null;
    },
  };
}

/** Leaves out the figures that cannot be true. */
export function plausible<S extends Statement>(
  statements: readonly S[],
  judge: PriceJudge,
  now: UnixSeconds,
): { readonly kept: readonly S[]; readonly rejections: readonly Rejection[] } {
  const rejections: Rejection[] = [];
  const kept = statements.filter((one) => {
    const { of, source, subject, figure, at } = one;
    const reason = judge.judge(`${of}/${source}/${subject}`, figure ?? "", at, now);
    if (reason !== null) rejections.push({ kind: of, subject, reason, sample: one });
    return reason === null;
  });
  return { kept, rejections };
}
