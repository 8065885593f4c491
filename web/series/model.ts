/** The view model: what a page's block says, hour by hour, with gaps, sessions and corporate actions. */
import type { SeriesBlock } from "./block.ts";
import {
  type Gap,
  gapsOf,
  hoursOf,
  onGrid,
  type SessionBand,
  type ShareChange,
  type Span,
  sessionBands,
  shareChanges,
} from "./grid.ts";

export type Figure = number | null;
export type Grade = "A" | "B" | "C" | "D";

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

export interface TokenModel {
  readonly token: SeriesBlock["token"];
  readonly days: number;
  readonly span: Span;
  /** Unix seconds, every hour. */
  readonly hours: readonly number[];
  readonly premium: Line & { readonly edge: readonly Figure[] };
  readonly basis: Line & { readonly funding: readonly Figure[]; readonly venue: string | null };
  /** Decimal texts, US dollars and shares; null without a key. */
  readonly prices: {
    readonly token: readonly (string | null)[];
    readonly shares: readonly (string | null)[];
    readonly perShare: readonly (string | null)[];
    readonly reference: readonly (string | null)[];
  } | null;
  /** null without a key. */
  readonly impact: {
    readonly small: readonly Figure[];
    readonly large: readonly Figure[];
    readonly provenance: readonly (Provenance | null)[];
    /** Of the hour in which a day of the grades ends. */
    readonly grades: readonly (GradeOfDay | null)[];
  } | null;
  /** Where the premium has no value. */
  readonly gaps: readonly Gap[];
  readonly sessions: readonly SessionBand[];
  /** Empty too where nobody may know. */
  readonly changes: readonly ShareChange[];
}

export interface GradeOfDay {
  /** null with too few samples. */
  readonly grade: Grade | null;
  readonly small: Figure;
  readonly large: Figure;
  readonly samples: Figure;
}

export function modelOf(block: SeriesBlock): TokenModel {
  const span = { from: block.from, to: block.to };
  const premium = lineOf(block, span, block.premium);
  return {
    token: block.token,
    days: block.days,
    span,
    hours: hoursOf(span),
    premium: { ...premium, edge: onGrid(span, block.premium.hour, block.premium.edge) },
    basis: {
      ...lineOf(block, span, block.basis),
      funding: onGrid(span, block.basis.hour, block.basis.funding),
      venue: block.basis.venue,
    },
    prices: pricesOf(block, span),
    impact: impactOf(block, span),
    gaps: gapsOf(span, premium.close),
    sessions: sessionBands(
      span,
      premium.provenance.map((provenance) => provenance?.session ?? null),
    ),
    changes: block.prices ? shareChanges(block.prices.hour, block.prices.shares) : [],
  };
}

function lineOf(block: SeriesBlock, span: Span, table: SeriesBlock["premium"] | SeriesBlock["basis"]): Line {
  const provenance = table.hour.map((_, index): Provenance | null => {
    const origin = block.origins[table.origin[index] ?? -1];
    if (!origin) return null;
    return {
      ...origin,
      age: table.age[index] ?? null,
      witnesses: table.witnesses[index] ?? null,
      samples: table.samples[index] ?? null,
      spread: table.spread[index] ?? null,
    };
  });
  return {
    close: onGrid(span, table.hour, table.close),
    lo: onGrid(span, table.hour, table.lo),
    hi: onGrid(span, table.hour, table.hi),
    provenance: onGrid(span, table.hour, provenance),
  };
}

function pricesOf({ prices }: SeriesBlock, span: Span): TokenModel["prices"] {
  if (prices === null) return null;
  const column = (texts: readonly (string | null)[]) => onGrid(span, prices.hour, texts);
  return {
    token: column(prices.token),
    shares: column(prices.shares),
    perShare: column(prices.perShare),
    reference: column(prices.reference),
  };
}

function impactOf({ impact, grades, origins }: SeriesBlock, span: Span): TokenModel["impact"] {
  if (impact === null) return null;
  const provenance = impact.origin.map((place): Provenance | null => {
    const origin = origins[place];
    return origin ? { ...origin, age: null, witnesses: null, samples: null, spread: null } : null;
  });
  const ofDays = (grades?.at ?? []).map(
    (_, index): GradeOfDay => ({
      grade: grades?.grade[index] ?? null,
      small: grades?.small[index] ?? null,
      large: grades?.large[index] ?? null,
      samples: grades?.samples[index] ?? null,
    }),
  );
  const hoursOfDays = (grades?.at ?? []).map((at) => at - (at % 3_600));
  return {
    small: onGrid(span, impact.hour, impact.small),
    large: onGrid(span, impact.hour, impact.large),
    provenance: onGrid(span, impact.hour, provenance),
    grades: onGrid(span, hoursOfDays, ofDays),
  };
}
