/** Basis points, as the pages of the server print them. */

const NONE = "–";
const MINUS = "\u2212";

/** Without a plus, one place: `12.3`. @param value null: not known */
export function bps(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const shown = Math.abs(value).toFixed(1);
  if (Number(shown) === 0) return "0.0";
  return (value < 0 ? MINUS : "") + shown.replace(/\B(?=(\d{3})+(?!\d)(?=\.))/g, ",");
}
