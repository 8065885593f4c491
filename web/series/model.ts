/** The view model: what a page's block says, hour by hour, with gaps and sessions. */
import type { SeriesBlock } from "./block.ts";
import { hoursOf, onGrid, type Span, sessionBands } from "./grid.ts";

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
    sessions: sessionBands(
      span,
      premium.provenance.map((provenance) => provenance?.session ?? null),
    ),
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

type Measured = Pick<SeriesBlock["premium"], "hour" | "origin" | "age" | "witnesses" | "samples" | "spread">;

/** The columns, and where each hour came from. */
function lineOf<T extends Measured>(span: Span, origins: SeriesBlock["origins"], { origin, ...table }: T) {
  const { age, witnesses, samples, spread } = table;
  const provenance = origin.map(
    (place, index): Provenance => ({
      ...origins[place]!,
      age: age[index] ?? null,
      witnesses: witnesses[index] ?? null,
      samples: samples[index] ?? null,
      spread: spread[index] ?? null,
    }),
  );
  return { ...onHours(span, table), provenance: onGrid(span, table.hour, provenance) };
}
