/** The view model: what a page's block says, hour by hour, with gaps, sessions and corporate actions. */
import type { SeriesBlock } from "./block.ts";
import { HOUR_SECONDS, hoursOf, onGrid, type Span, sessionBands, shareChanges } from "./grid.ts";

export type Figure = number | null;

/** Where an hour's last sample came from: its source, session, reference, and how its sources stand to each other. */
export interface Provenance extends Readonly<SeriesBlock["origins"][number]> {
  /** Seconds; null: no reference, or of unknown age. */
  readonly age: Figure;
  readonly witnesses: Figure;
  /** null: not counted. */
  readonly samples: Figure;
  /** Basis points between those that agree; null: fewer than two do. */
  readonly spread: Figure;
}

/** One value for every hour of the span in each column; basis points. */
export interface Line {
  readonly close: readonly Figure[];
  readonly lo: readonly Figure[];
  readonly hi: readonly Figure[];
  readonly provenance: readonly (Provenance | null)[];
}

export type TokenModel = Readonly<ReturnType<typeof modelOf>>;

export function modelOf({ token, days, from, to, origins, ...block }: SeriesBlock) {
  const span = { from, to };
  const { venue, ...basis } = block.basis;
  const premium = lineOf(span, origins, block.premium);
  return {
    token,
    days,
    span,
    /** Unix seconds, every hour. */
    hours: hoursOf(span),
    premium,
    basis: { ...lineOf(span, origins, basis), venue },
    /** Decimal texts, US dollars and shares; null without a key. */
    prices: block.prices && onHours(span, block.prices),
    /** null without a key. */
    impact: block.impact && {
      ...lineOf(span, origins, block.impact),
      grades: gradesOf(span, block.grades),
    },
    sessions: sessionBands(
      span,
      premium.provenance.map((provenance) => provenance?.session ?? null),
    ),
    /** Empty too where nobody may know. */
    changes: block.prices ? shareChanges(block.prices.hour, block.prices.shares) : [],
  };
}

/** A table's columns, with a value for every hour of the span. */
function onHours<T extends { readonly hour: readonly number[] }>(span: Span, { hour, ...columns }: T) {
  const whole = Object.entries(columns).map(([name, column]) => [
    name,
    onGrid(span, hour, column as readonly unknown[]),
  ]);
  return Object.fromEntries(whole) as Omit<T, "hour">;
}

type Origins = Pick<SeriesBlock["premium"], "hour" | "origin">;
type Told = Partial<Readonly<Record<"age" | "witnesses" | "samples" | "spread", readonly Figure[]>>>;

/** The columns, and where each hour came from. */
function lineOf<T extends Origins>(
  span: Span,
  origins: SeriesBlock["origins"],
  { origin, ...table }: T & Told,
) {
  const { age, witnesses, samples, spread } = table;
  const provenance = origin.map(
    (place, index): Provenance => ({
      ...origins[place]!,
      age: age?.[index] ?? null,
      witnesses: witnesses?.[index] ?? null,
      samples: samples?.[index] ?? null,
      spread: spread?.[index] ?? null,
    }),
  );
  return { ...onHours(span, table), provenance: onGrid(span, table.hour, provenance) };
}

/** Of the hour in which a day of the grades ends. */
function gradesOf(span: Span, grades: SeriesBlock["grades"]) {
  const { at, grade, small, large, samples } = grades ?? {
    at: [],
    grade: [],
    small: [],
    large: [],
    samples: [],
  };
  const days = at.map((_, index) => ({
    /** null with too few samples. */
    grade: grade[index] ?? null,
    small: small[index] ?? null,
    large: large[index] ?? null,
    samples: samples[index] ?? null,
  }));
  return onGrid(
    span,
    at.map((moment) => moment - (moment % HOUR_SECONDS)),
    days,
  );
}
