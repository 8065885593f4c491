/** CSV as RFC 4180 has it, safe to open in a spreadsheet. */

/** What makes a spreadsheet take a cell for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One record with its line end. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
