/** What a check measures, so that observed and limit can be shown beside each other. */

export type Unit = "bps" | "s" | "USD" | "count" | "raw" | "text";

/** `most`: the limit is the greatest that passes; `size`: so it is of the amount without its sign; `least`: the smallest. */
export type Bound = "most" | "size" | "least";

export interface Measure {
  readonly unit: Unit;
  /** null: there is nothing to draw, as the two are words. */
  readonly bound: Bound | null;
}

export const TEXT: Measure = { unit: "text", bound: null };
export const most = (unit: Unit): Measure => ({ unit, bound: "most" });
export const least = (unit: Unit): Measure => ({ unit, bound: "least" });
