/**
 * Several sources of one figure, held against each other. Pure: no clock, no memory.
 *
 * A figure counts when more than half of all sources, itself included, lie within a bound of it. So a minority
 * that is wrong never changes what counts by more than the bound, of two that disagree neither counts, and one
 * that stands alone counts for what it is.
 */
import type { Decimal } from "decimal.js";
import { SeriesDecimal } from "../series/units.ts";

export interface Witness {
  /** One source is one witness, however often it speaks. */
  readonly source: string;
  /** Decimal text, above zero. */
  readonly figure: string;
}

export type SetAsideReason = "odd_one_out" | "witnesses_disagree";

export interface Comparison<T> {
  /** Those that count, in the order in which they came. */
  readonly agreed: readonly T[];
  readonly aside: readonly T[];
  /** Why the others do not count: a majority is against them, or there is no majority. */
  readonly reason: SetAsideReason;
}

/** How far two figures are apart, in basis points of the smaller one. */
export function differenceBps(one: string, other: string): Decimal {
  const [a, b] = [new SeriesDecimal(one), new SeriesDecimal(other)];
  return (a.gt(b) ? a.dividedBy(b) : b.dividedBy(a)).minus(1).times(10_000);
}

/** @param boundBps two figures that are at most so far apart support each other */
export function compareWitnesses<T extends Witness>(
  witnesses: readonly T[],
  boundBps: number,
): Comparison<T> {
  const supporters = (figure: string) =>
    witnesses.filter((other) => differenceBps(figure, other.figure).lte(boundBps)).length;
  const counts = witnesses.map(({ figure }) => 2 * supporters(figure) > witnesses.length);
  const agreed = witnesses.filter((_, index) => counts[index]);
  return {
    agreed,
    aside: witnesses.filter((_, index) => !counts[index]),
    reason: agreed.length > 0 ? "odd_one_out" : "witnesses_disagree",
  };
}
