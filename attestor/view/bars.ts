/** Observed value and limit of a check on one line. */
import type { Measure } from "../checks/measure.ts";
import { EvidenceDecimal } from "../values/decimal.ts";

const DECIMAL = /^-?[0-9]{1,400}(\.[0-9]{1,400})?$/;
/** So much of the line has the limit when the observed value is below it. */
const LIMIT_AT = 0.75;
/** Where it has the limit when the observed value is four times as much, or more. */
const LIMIT_AT_LEAST = 0.25;

/** Where observed value and limit lie on one line from zero: 0 is its beginning, 1 its end. */
export type Bar = NonNullable<ReturnType<typeof barOf>>;

/**
 * @param observed as a finding says it, a decimal; null: not known
 * @returns null where there is nothing to draw
 */
export function barOf({ bound }: Measure, observed: string | null, limit: string | null) {
  if (bound === null || observed === null || limit === null) return null;
  if (!DECIMAL.test(observed) || !DECIMAL.test(limit)) return null;
  const value = bound === "size" ? new EvidenceDecimal(observed).abs() : new EvidenceDecimal(observed);
  const edge = new EvidenceDecimal(limit);
  if (edge.isNegative()) return null;
  if (edge.isZero() && bound === "least") return null;
  // A limit of nothing leaves nothing to be in proportion to.
  if (edge.isZero())
    return { bound, observed: value.greaterThan(0) ? 1 : 0, limit: 0, isOff: !value.isZero() };
  const ratio = value.dividedBy(edge).toNumber();
  const limitAt = Math.max(LIMIT_AT_LEAST, ratio > 1 / LIMIT_AT ? 1 / ratio : LIMIT_AT);
  const at = ratio * limitAt;
  return {
    bound,
    observed: rounded(Math.min(1, Math.max(0, at))),
    limit: rounded(limitAt),
    /** The observed value lies before the line's beginning or behind its end. */
    isOff: at < 0 || at > 1 + 1e-9,
  };
}

const rounded = (part: number): number => Math.round(part * 10_000) / 10_000;
