/** The view model: what a page's block says, hour by hour, with gaps, sessions and corporate actions. */
import type { SeriesBlock } from "./block.ts";
import { gapsOf, hoursOf, onGrid, type Span, sessionBands, shareChanges } from "./grid.ts";

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

export function modelOf(block: SeriesBlock) {
  const span = { from: block.from, to: block.to };
  const premium = lineOf(block, span, block.premium);
  return {
    token: block.token,
    days: block.days,
    span,
    /** Unix seconds, every hour. */
    hours: hoursOf(span),
    premium: { ...premium, edge: onGrid(span, block.premium.hour, block.premium.edge) },
    basis: {
      ...lineOf(block, span, block.basis),
      funding: onGrid(span, block.basis.hour, block.basis.funding),
      venue: block.basis.venue,
    },
    /** Decimal texts, US dollars and shares; null without a key. */
    prices: pricesOf(block, span),
    /** null without a key. */
    impact: impactOf(block, span),
    /** Where the premium has no value. */
    gaps: gapsOf(span, premium.close),
    sessions: sessionBands(
      span,
      premium.provenance.map((provenance) => provenance?.session ?? null),
    ),
    /** Empty too where nobody may know. */
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

function pricesOf({ prices }: SeriesBlock, span: Span) {
  if (prices === null) return null;
  const column = (texts: readonly (string | null)[]) => onGrid(span, prices.hour, texts);
  return {
    token: column(prices.token),
    shares: column(prices.shares),
    perShare: column(prices.perShare),
    reference: column(prices.reference),
  };
}

function impactOf({ impact, grades, origins }: SeriesBlock, span: Span) {
  if (impact === null) return null;
  const provenance = impact.origin.map((place): Provenance | null => {
    const origin = origins[place];
    return origin ? { ...origin, age: null, witnesses: null, samples: null, spread: null } : null;
  });
  const ofDays = (grades?.at ?? []).map((_, index) => ({
    /** null with too few samples. */
    grade: grades?.grade[index] ?? null,
    small: grades?.small[index] ?? null,
    large: grades?.large[index] ?? null,
    samples: grades?.samples[index] ?? null,
  }));
  const hoursOfDays = (grades?.at ?? []).map((at) => at - (at % 3_600));
  return {
    small: onGrid(span, impact.hour, impact.small),
    large: onGrid(span, impact.hour, impact.large),
    provenance: onGrid(span, impact.hour, provenance),
    /** Of the hour in which a day of the grades ends. */
    grades: onGrid(span, hoursOfDays, ofDays),
  };
}
