/** A history as CSV: what it is, whose it is and in which units stands inside. */

export const FORMATS = ["json", "csv"] as const;
export type Format = (typeof FORMATS)[number];

const CSV_TYPE = "text/csv; charset=utf-8";

export interface HistoryMeta {
  readonly dataset: string;
  readonly attribution: string;
  /** By column; those that have none left out. */
  readonly units: Readonly<Record<string, string>>;
  /** ISO 8601, the end exclusive. */
  readonly window: { readonly from: string; readonly to: string };
  /** ISO 8601. */
  readonly generated_at: string;
  /** Of what the rows are, where all are of the same. */
  readonly of?: Readonly<Record<string, string | null>>;
}

/** What the attribution asks for is all that is. */
const LICENCE = "attribution required, see attribution; indicative only, no advice";

export type Row = Readonly<Record<string, unknown>>;

/** @param columns of every row, in order */
export const csvLines = (columns: readonly string[], rows: readonly Row[]): string =>
  rows.map((row) => `${columns.map((column) => cellOf(row[column])).join(",")}\r\n`).join("");

/** @param columns listed even without rows @param lines as of `csvLines` */
export function csvOf(meta: HistoryMeta, columns: readonly string[], lines: string) {
  return { text: headOf(meta, columns) + lines, contentType: CSV_TYPE };
}

function headOf(meta: HistoryMeta, columns: readonly string[]): string {
  const { units, window, of = {} } = meta;
  const about = [
    `dataset: ${meta.dataset}`,
    `attribution: ${meta.attribution}`,
    `licence: ${LICENCE}`,
    ...Object.entries(of).map(([name, value]) => `${name}: ${value ?? "none"}`),
    ...Object.entries(units).map(([column, unit]) => `unit of ${column}: ${unit}`),
    `window: from ${window.from} to ${window.to}`,
    `generated_at: ${meta.generated_at}`,
  ];
  const lines = [...about.map((line) => `# ${oneLine(line)}`), columns.join(",")];
  return `${lines.join("\r\n")}\r\n`;
}

/** What a caller has sent may be repeated, and ends no line. */
const oneLine = (text: string) => text.replaceAll(/\p{Cc}/gu, " ");

/** Nothing where a value is null. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // A first cell that began with # would be taken for a comment.
  return /[",\r\n]|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
