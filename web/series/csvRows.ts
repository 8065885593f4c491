/** A token's series as the records of its CSV file: one an hour, with everything that the page knows of it. */
import { type Cell, csvOf } from "./csv.ts";
import type { Line, TokenModel } from "./model.ts";

const LINE = [
  "bps",
  "lo_bps",
  "hi_bps",
  "source",
  "session",
  "reference",
  "reference_age_s",
  "witnesses",
  "samples",
];
const KEYED = [
  "token_usd",
  "shares_per_token",
  "per_share_usd",
  "reference_usd",
  "impact_1k_bps",
  "impact_10k_bps",
  "impact_source",
  "impact_session",
  "grade_7d",
  "median_impact_1k_7d_bps",
  "median_impact_10k_7d_bps",
  "grade_samples",
];

/** The file's text. Hours of which nothing is known have no record; a cell without a value is empty. */
export function csvOfToken(model: TokenModel): string {
  const keyed = model.prices !== null || model.impact !== null;
  const header: Cell[] = [
    "hour_utc",
    ...LINE.map((name) => `premium_${name}`),
    "net_edge_bps",
    "basis_venue",
    ...LINE.map((name) => `basis_${name}`),
    "funding_annual_bps",
    ...(keyed ? KEYED : []),
  ];
  const rows = model.hours.flatMap((hour, place) => {
    const cells: Cell[] = [
      ...lineCells(model.premium, place),
      model.premium.edge[place] ?? null,
      model.basis.provenance[place] ? model.basis.venue : null,
      ...lineCells(model.basis, place),
      model.basis.funding[place] ?? null,
      ...(keyed ? keyedCells(model, place) : []),
    ];
    return cells.every((cell) => cell === null) ? [] : [[new Date(hour * 1_000).toISOString(), ...cells]];
  });
  return csvOf([header, ...rows]);
}

function lineCells({ close, lo, hi, provenance }: Line, place: number): Cell[] {
  const told = provenance[place];
  return [
    close[place] ?? null,
    lo[place] ?? null,
    hi[place] ?? null,
    told?.source ?? null,
    told?.session ?? null,
    told?.reference ?? null,
    told?.age ?? null,
    told?.witnesses ?? null,
    told?.samples ?? null,
  ];
}

function keyedCells({ prices, impact }: TokenModel, place: number): Cell[] {
  const decimal = (text: string | null | undefined) => (text == null ? null : { decimal: text });
  const grade = impact?.grades[place];
  const told = impact?.provenance[place];
  return [
    decimal(prices?.token[place]),
    decimal(prices?.shares[place]),
    decimal(prices?.perShare[place]),
    decimal(prices?.reference[place]),
    impact?.small[place] ?? null,
    impact?.large[place] ?? null,
    told?.source ?? null,
    told?.session ?? null,
    grade?.grade ?? null,
    grade?.small ?? null,
    grade?.large ?? null,
    grade?.samples ?? null,
  ];
}

/** `assay-AAPLx-bnb-30d-2026-11-22.csv`, of harmless characters whatever the symbol is. */
export function csvName({ token, days, span }: TokenModel): string {
  const day = new Date((span.to - 1) * 1_000).toISOString().slice(0, 10);
  const plain = (text: string) => text.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 20);
  return `assay-${plain(token.symbol)}-${plain(token.chain)}-${days}d-${day}.csv`;
}
