/** Lists of the data API as CSV and NDJSON: what they are, whose they are and in which units stands inside. */
import { z } from "zod";
import type { AnswerDoc } from "../http/route.ts";

const FORMATS = ["json", "csv", "ndjson"] as const;
export type Format = (typeof FORMATS)[number];

/** The query parameter. */
export const format = z
  .enum(FORMATS)
  .default("json")
  .describe(
    '`csv` (RFC 4180) begins with lines of `#`: attribution, units, window; `ndjson` with a line `{"meta": …}`. A nested value is JSON in CSV, too',
  );

const TYPES = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" } as const;

/** Added to the documented answer in JSON. */
export const otherFormats: Pick<AnswerDoc, "also"> = {
  also: { "text/csv": z.string(), "application/x-ndjson": z.string() },
};

/** What stands beside the rows. */
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
}

/** What the attribution asks for is all that is. */
const LICENCE = "attribution required, see attribution; indicative only, no advice";

type Row = Readonly<Record<string, unknown>>;

/**
 * A list as bytes and their type.
 * @param columns of every row, in order: they stand there also where there are no rows
 */
export function listAs(
  wanted: Exclude<Format, "json">,
  meta: ListMeta,
  columns: readonly string[],
  rows: readonly Row[],
): { text: string; contentType: string } {
  const text = wanted === "csv" ? csvOf(meta, columns, rows) : ndjsonOf(meta, columns, rows);
  return { text, contentType: TYPES[wanted] };
}

function csvOf(
  { units, window, ...meta }: ListMeta,
  columns: readonly string[],
  rows: readonly Row[],
): string {
  const about = [
    ...[`dataset: ${meta.dataset}`, `attribution: ${meta.attribution}`, `licence: ${LICENCE}`],
    ...Object.entries(units).map(([column, unit]) => `unit of ${column}: ${unit}`),
    `window: from ${window.from ?? "the beginning"} to ${window.to ?? "the end"}`,
    `generated_at: ${meta.generated_at}`,
    ...(meta.next_cursor === null ? [] : [`next_cursor: ${meta.next_cursor}`]),
  ];
  const lines = [
    ...about.map((line) => `# ${line}`),
    columns.join(","),
    ...rows.map((row) => columns.map((column) => cellOf(row[column])).join(",")),
  ];
  return `${lines.join("\r\n")}\r\n`;
}

/** Nothing where a value is null. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // A first cell that began with # would be taken for a comment.
  return /[",\r\n]|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function ndjsonOf(meta: ListMeta, columns: readonly string[], rows: readonly Row[]): string {
  const lines = [{ meta: { ...meta, licence: LICENCE } }, ...rows.map((row) => ordered(row, columns))];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

const ordered = (row: Row, columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
