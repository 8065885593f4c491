/** A history as CSV (RFC 4180). The header is the first line; what stands beside the rows in JSON is in HTTP headers. */
import type { Written } from "./written.ts";

export const FORMATS = ["json", "csv"] as const;
export type Format = (typeof FORMATS)[number];

export interface HistoryMeta {
  readonly attribution: string;
  /** ISO 8601, the end exclusive. */
  readonly window: { readonly from: string; readonly to: string };
  /** Of what the rows are, where all are of the same. */
  readonly of?: Readonly<Record<string, string | null>>;
}

export type Row = Readonly<Record<string, unknown>>;

/** @param columns of every row, in order */
export const csvLines = (columns: readonly string[], rows: readonly Row[]): string =>
  rows.map((row) => `${columns.map((column) => cellOf(row[column])).join(",")}\r\n`).join("");

/** @param columns listed even without rows @param lines as of `csvLines` */
export function csvOf(
  { attribution, window, of }: HistoryMeta,
  columns: readonly string[],
  lines: string,
): Written {
  return {
    text: `${columns.join(",")}\r\n${lines}`,
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      Attribution: attribution,
      Window: `${window.from}/${window.to}`,
      ...(of === undefined ? {} : { Series: seriesOf(of) }),
    },
  };
}

/** No name of a series is longer; a caller may have sent any. */
const LONGEST_NAME = 64;

/** As the parameters of a query are written: what a caller has sent may be repeated, and a header takes no other text. */
function seriesOf(of: NonNullable<HistoryMeta["of"]>): string {
  const named = new URLSearchParams();
  for (const [name, value] of Object.entries(of)) named.set(name, (value ?? "").slice(0, LONGEST_NAME));
  return named.toString();
}

/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;

/** Nothing where a value is null. A text that would be a formula gets an apostrophe; a number never does. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
