/** What a chart's scales reach over, and how hours are drawn where a pixel holds several. */
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

const DAY_SECONDS = 86_400;
type Pick = (one: number, other: number) => number;

/** Each known hour with what `pick` makes of its UTC day; an hour without a figure stays without one. */
function eachDay(hours: readonly number[], column: readonly Figure[], pick: Pick): Figure[] {
  const days = new Map<number, number>();
  const dayOf = (place: number) => Math.floor((hours[place] ?? 0) / DAY_SECONDS);
  column.forEach((value, place) => {
    const known = days.get(dayOf(place));
    if (value !== null) days.set(dayOf(place), known === undefined ? value : pick(known, value));
  });
  return column.map((value, place) => (value === null ? null : (days.get(dayOf(place)) ?? null)));
}

/** By which hours are drawn as days: the last figure, the lowest and the highest. */
export const BY_DAY = {
  last: (hours: readonly number[], column: readonly Figure[]) => eachDay(hours, column, (_, last) => last),
  lowest: (hours: readonly number[], column: readonly Figure[]) => eachDay(hours, column, Math.min),
  highest: (hours: readonly number[], column: readonly Figure[]) => eachDay(hours, column, Math.max),
};
