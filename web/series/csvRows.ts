/** A token's series as the records of its CSV file: one an hour, with everything that the page knows of it. */
import { type Cell, csvOf } from "./csv.ts";
import type { Line, TokenModel } from "./model.ts";

/** Columns by name, and the cell of each at a place; nothing: its value is not known. */
type Columns<Of> = Readonly<Record<string, (of: Of, place: number) => Cell | undefined>>;

const LINE: Columns<Line> = {
  bps: ({ close }, place) => close[place],
  lo_bps: ({ lo }, place) => lo[place],
  hi_bps: ({ hi }, place) => hi[place],
  source: ({ provenance }, place) => provenance[place]?.source,
  session: ({ provenance }, place) => provenance[place]?.session,
  reference: ({ provenance }, place) => provenance[place]?.reference,
  reference_age_s: ({ provenance }, place) => provenance[place]?.age,
  witnesses: ({ provenance }, place) => provenance[place]?.witnesses,
  samples: ({ provenance }, place) => provenance[place]?.samples,
  state: ({ provenance }, place) => provenance[place]?.state,
  spread_bps: ({ provenance }, place) => provenance[place]?.spread,
  halted: ({ provenance }, place) => provenance[place] && String(provenance[place].halted),
};

const cellsOf = <Of>(columns: Columns<Of>, of: Of, place: number): Cell[] =>
  Object.values(columns).map((read) => read(of, place) ?? null);

/** The file's text. Hours of which nothing is known have no record; a cell without a value is empty. */
export function csvOfToken(model: TokenModel): string {
  const header: Cell[] = [
    "hour_utc",
    ...Object.keys(LINE).map((name) => `premium_${name}`),
    "net_edge_bps",
    "basis_venue",
    ...Object.keys(LINE).map((name) => `basis_${name}`),
    "funding_annual_bps",
    "funding_state",
  ];
  const rows = model.hours.flatMap((hour, place) => {
    const cells: Cell[] = [
      ...cellsOf(LINE, model.premium, place),
      model.premium.edge[place] ?? null,
      model.basis.provenance[place] ? model.basis.venue : null,
      ...cellsOf(LINE, model.basis, place),
      model.basis.funding[place] ?? null,
      model.basis.provenance[place]?.funding ?? null,
    ];
    return cells.every((cell) => cell === null) ? [] : [[new Date(hour * 1_000).toISOString(), ...cells]];
  });
  return csvOf([header, ...rows]);
}

/** `assay-AAPLx-bnb-30d-2026-11-22.csv`, of harmless characters for any symbol. */
export function csvName({ token, days, span }: TokenModel): string {
  const day = new Date((span.to - 1) * 1_000).toISOString().slice(0, 10);
  const plain = (text: string) => text.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 20);
  return `assay-${plain(token.symbol)}-${plain(token.chain)}-${days}d-${day}.csv`;
}
