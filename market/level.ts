/**
 * Compares several sources of one figure. Pure: no clock, no memory.
 *
 * Each source gives its figure as an interval, by its tolerance. If the intervals of more than half of the sources
 * have a point in common, the level is the median of those (Marzullo's algorithm, as in NTP). So a wrong minority
 * never counts, and of two that disagree neither does.
 */
import type { Decimal } from "decimal.js";
import { median } from "../attestor/evidence/figures.ts";
import { SeriesDecimal } from "./series/units.ts";

export interface Witness {
  /** The source that was asked, such as `jupiter`. */
  readonly source: string;
  /** Where the figure comes from in the end: sources of one origin are one witness, and so is a source of several. */
  readonly origin: string;
  /** Decimal text, above zero. */
  readonly figure: string;
  /** Half-width of the interval around the figure, basis points. */
  readonly toleranceBps: number;
  /** Unix seconds: the source's own time, or since when the figure has not changed; null: not known. */
  readonly publishedAt: number | null;
}

/** `agreed`: by two origins at least. `single`: one alone says it. `disputed`: no majority agrees. */
export type State = "agreed" | "single" | "disputed";

export interface Level<T> {
  /** The median of those that agree; null: disputed. */
  readonly figure: string | null;
  readonly state: State;
  /** Basis points between the outermost that agree; null: fewer than two do. */
  readonly spreadBps: string | null;
  readonly agreed: readonly T[];
  /** Those that a majority is against, or all where there is none. */
  readonly outliers: readonly T[];
}

/** How far two figures are apart, in basis points of the smaller one. */
export function differenceBps(one: string, other: string): Decimal {
  const [a, b] = [new SeriesDecimal(one), new SeriesDecimal(other)];
  return (a.gt(b) ? a.dividedBy(b) : b.dividedBy(a)).minus(1).times(10_000);
}

/**
 * @param factor on every tolerance: prices differ more while a stock does not trade
 * @returns null where nobody says anything
 */
export function levelOf<T extends Witness>(all: readonly T[], factor = 1): Level<T> | null {
  const bySource = newestOfEach(all, ({ source }) => source);
  const witnesses = newestOfEach(bySource, ({ origin }) => origin);
  const [alone] = witnesses;
  if (alone === undefined) return null;
  if (witnesses.length === 1)
    return { figure: alone.figure, state: "single", spreadBps: null, agreed: witnesses, outliers: [] };
  const agreed = largestGroup(witnesses, factor);
  if (2 * agreed.length <= witnesses.length)
    return { figure: null, state: "disputed", spreadBps: null, agreed: [], outliers: witnesses };
  return {
    figure: median(agreed.map(({ figure }) => new SeriesDecimal(figure)))!.toFixed(),
    state: "agreed",
    spreadBps: spreadOf(agreed).toDecimalPlaces(4).toFixed(),
    agreed,
    outliers: witnesses.filter((witness) => !agreed.includes(witness)),
  };
}

/** The newest of each name, of equally new ones the lowest, at the place of its first. */
function newestOfEach<T extends Witness>(witnesses: readonly T[], nameOf: (witness: T) => string): T[] {
  const newest = new Map<string, T>();
  for (const witness of witnesses) {
    const kept = newest.get(nameOf(witness)) ?? witness;
    const newer = (witness.publishedAt ?? 0) - (kept.publishedAt ?? 0);
    const isLower = new SeriesDecimal(witness.figure).lt(kept.figure);
    newest.set(nameOf(witness), newer > 0 || (newer === 0 && isLower) ? witness : kept);
  }
  return [...newest.values()];
}

/** The most whose intervals have a point in common; of several such groups the closest together, then the lowest. */
function largestGroup<T extends Witness>(witnesses: readonly T[], factor: number): T[] {
  const ends = ({ figure, toleranceBps }: Witness) => {
    const width = new SeriesDecimal(figure).times(toleranceBps * factor).dividedBy(10_000);
    return { low: new SeriesDecimal(figure).minus(width), high: new SeriesDecimal(figure).plus(width) };
  };
  // Where intervals have a point in common, one of them begins there.
  const groups = witnesses.map((one) => {
    const { low } = ends(one);
    return witnesses.filter((other) => ends(other).low.lte(low) && ends(other).high.gte(low));
  });
  const order = (one: T[], other: T[]) =>
    other.length - one.length ||
    spreadOf(one).comparedTo(spreadOf(other)) ||
    lowestOf(one).comparedTo(lowestOf(other));
  return groups.sort(order)[0] ?? [];
}

const lowestOf = (witnesses: readonly Witness[]): Decimal =>
  SeriesDecimal.min(...witnesses.map(({ figure }) => figure));

function spreadOf(witnesses: readonly Witness[]): Decimal {
  const figures = witnesses.map(({ figure }) => new SeriesDecimal(figure));
  return differenceBps(SeriesDecimal.min(...figures).toFixed(), SeriesDecimal.max(...figures).toFixed());
}

/** Of a figure that is made of several levels: none is better than its worst part. */
export function worstOf(states: readonly State[]): State | null {
  return (["disputed", "single", "agreed"] as const).find((state) => states.includes(state)) ?? null;
}
