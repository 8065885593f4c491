/** What a chart's scales reach over. */
import type { Figure } from "./model.ts";

export type Range = readonly [number, number];

const ROOM = 0.08;

/** With zero in it, and room at both ends. */
function reachOf(columns: readonly (readonly Figure[])[]): Range {
  let [low, high] = [0, 0];
  for (const column of columns)
    for (const value of column)
      if (value !== null) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  const room = (high - low || 1) * ROOM;
  return [low - room, high + room];
}

/**
 * Ranges of two scales that have zero at one height, so that a chart has one zero line. Neither grows more than it must.
 * @param left columns of figures of the one scale @param right of the other
 */
export function sharedZero(
  left: readonly (readonly Figure[])[],
  right: readonly (readonly Figure[])[],
): { readonly left: Range; readonly right: Range } {
  const reaches = [reachOf(left), reachOf(right)] as const;
  const below = reaches.map(([low, high]) => -low / (high - low));
  const [most, least] = [Math.max(...below), Math.min(...below)];
  const zero = most / (most + 1 - least);
  const around = ([low, high]: Range): Range => {
    const span = Math.max(-low / zero, high / (1 - zero));
    return [-span * zero, span * (1 - zero)];
  };
  return { left: around(reaches[0]), right: around(reaches[1]) };
}
