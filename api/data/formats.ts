/** Lists of the data API as CSV and NDJSON: what they are, whose they are and in which units stands inside. */
import { z } from "zod";
import type { AnswerDoc } from "../http/route.ts";

export const FORMATS = ["json", "csv", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];
export type TextFormat = Exclude<Format, "json">;

export const format = z
  .enum(FORMATS)
  .default("json")
  .describe(
    '`csv` (RFC 4180) begins with lines of `#`: attribution, units, window; `ndjson` with a line `{"meta": …}`. A nested value is JSON in CSV, too',
  );

export const CONTENT_TYPES = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
} as const satisfies Record<TextFormat, string>;

/** Added to the documented answer in JSON. */
export const otherFormats: Pick<AnswerDoc, "also"> = {
  also: { "text/csv": z.string(), "application/x-ndjson": z.string() },
};

export interface ListMeta {
  readonly dataset: string;
  readonly attribution: string;
  /** By column; those that have none left out. */
  readonly units: Readonly<Record<string, string>>;
  /** As it was asked for. */
  readonly window: { readonly from: string | null; readonly to: string | null };
  /** ISO 8601. */
  readonly generated_at: string;
  /** null: this is the last page, or all there is. */
  readonly next_cursor: string | null;
  /** Of what the rows are, where all are of the same. */
  readonly of?: Readonly<Record<string, string | null>>;
}

/** What the attribution asks for is all that is. */
const LICENCE = "attribution required, see attribution; indicative only, no advice";

export type Row = Readonly<Record<string, unknown>>;

/**
 * A list as text and its type.
 * @param columns of every row, in order; listed even without rows
 */
export function listAs(
  wanted: TextFormat,
  meta: ListMeta,
  columns: readonly string[],
  rows: readonly Row[],
): { text: string; contentType: string } {
  const text = headOf(wanted, meta, columns) + rowsAs(wanted, columns, rows);
  return { text, contentType: CONTENT_TYPES[wanted] };
}

/** As `listAs`, piece by piece: rows are let go when they are written. */
export async function* streamAs(
  wanted: TextFormat,
  meta: ListMeta,
  columns: readonly string[],
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield headOf(wanted, meta, columns);
  for await (const rows of batches) if (rows.length > 0) yield rowsAs(wanted, columns, rows);
}

function headOf(wanted: TextFormat, meta: ListMeta, columns: readonly string[]): string {
  if (wanted === "ndjson") return `${JSON.stringify({ meta: { ...meta, licence: LICENCE } })}\n`;
  const { units, window, of = {} } = meta;
  const about = [
    ...[`dataset: ${meta.dataset}`, `attribution: ${meta.attribution}`, `licence: ${LICENCE}`],
    ...Object.entries(of).map(([name, value]) => `${name}: ${value ?? "none"}`),
    ...Object.entries(units).map(([column, unit]) => `unit of ${column}: ${unit}`),
    `window: from ${window.from ?? "the beginning"} to ${window.to ?? "the end"}`,
    `generated_at: ${meta.generated_at}`,
    ...(meta.next_cursor === null ? [] : [`next_cursor: ${meta.next_cursor}`]),
  ];
  const lines = [...about.map((line) => `# ${oneLine(line)}`), columns.join(",")];
  return `${lines.join("\r\n")}\r\n`;
}

/** What a caller has sent may be repeated, and ends no line. */
const oneLine = (text: string) => text.replaceAll(/\p{Cc}/gu, " ");

function rowsAs(wanted: TextFormat, columns: readonly string[], rows: readonly Row[]): string {
  return wanted === "csv"
    ? rows.map((row) => `${columns.map((column) => cellOf(row[column])).join(",")}\r\n`).join("")
    : rows.map((row) => `${JSON.stringify(ordered(row, columns))}\n`).join("");
}

/** Nothing where a value is null. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // A first cell that began with # would be taken for a comment.
  return /[",\r\n]|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const ordered = (row: Row, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
