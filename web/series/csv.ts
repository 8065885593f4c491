/** CSV as RFC 4180 has it, safe to open in a spreadsheet. */

/** Decimal text that is a number and stays as it is. */
export interface Decimal {
  readonly decimal: string;
}

/** Text, a number, or null: an empty cell. */
export type Cell = string | number | Decimal | null;

/** What makes a spreadsheet take a cell for a formula, behind any spaces. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** @param rows the header is the first; all of one length */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(",")}\r\n`).join("");
}

/** Texts that would be formulas get an apostrophe in front; numbers are what they are, minus sign included. */
function cellText(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  if (typeof cell === "object") return NUMBER.test(cell.decimal) ? cell.decimal : cellText(cell.decimal);
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
