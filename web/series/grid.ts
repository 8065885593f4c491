/** Series as a chart wants them: one value for every hour, and null where nothing is known. */

export const HOUR_SECONDS = 3_600;

export interface Span {
  /** Unix seconds, starts of hours; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** Every hour of a span, unix seconds. */
export function hoursOf({ from, to }: Span): number[] {
  return Array.from(
    { length: Math.max(0, (to - from) / HOUR_SECONDS) },
    (_, place) => from + place * HOUR_SECONDS,
  );
}

/**
 * A column of hours that are there as a column of all hours: what is absent is null, so that a line has a gap there
 * and bridges nothing.
 * @param hours starts of hours, unix seconds, in any order; those outside of the span are left out
 */
export function onGrid<T>(span: Span, hours: readonly number[], column: readonly (T | null)[]): (T | null)[] {
  const grid = new Array<T | null>(hoursOf(span).length).fill(null);
  hours.forEach((hour, index) => {
    const place = (hour - span.from) / HOUR_SECONDS;
    if (Number.isInteger(place) && place >= 0 && place < grid.length) grid[place] = column[index] ?? null;
  });
  return grid;
}

/**
 * Where the stock market was in one session, by the samples themselves: hours without a sample belong to no band.
 * @param sessions one for every hour of the span
 */
export function sessionBands(span: Span, sessions: readonly (string | null)[]) {
  const bands: { readonly session: string; readonly from: number; to: number }[] = [];
  sessions.forEach((session, place) => {
    if (session === null) return;
    const from = span.from + place * HOUR_SECONDS;
    const to = from + HOUR_SECONDS;
    const band = bands.at(-1);
    if (band?.session === session && band.to === from) band.to = to;
    else bands.push({ session, from, to });
  });
  return bands;
}

/**
 * The next place with a value, for who walks along a series.
 * @param from where one stands; -1 before all
 * @param step 1 forwards, -1 backwards
 * @returns `from` itself where there is none any more
 */
export function nextKnown(columns: readonly (readonly unknown[])[], from: number, step: 1 | -1): number {
  const length = Math.max(0, ...columns.map((column) => column.length));
  for (let place = from + step; place >= 0 && place < length; place += step)
    if (columns.some((column) => (column[place] ?? null) !== null)) return place;
  return from;
}
