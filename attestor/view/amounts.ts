/** Decimals as people read them. Nothing is rounded but where a function says so. */

const DECIMAL = /^(-?)([0-9]+)(\.[0-9]+)?$/;

/** `1234567.5` as `1,234,567.5`; what is no decimal stays as it is. */
export function grouped(text: string): string {
  const [, sign, whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (sign === undefined || whole === undefined) return text;
  return `${sign}${whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ",")}${fraction}`;
}

/**
 * Cut to so many significant digits, towards zero, and never within the whole part: an amount that one gets at least
 * must not grow by how it is shown.
 */
export function cut(text: string, digits: number): string {
  const [, sign, whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (sign === undefined || whole === undefined || fraction === "") return text;
  const places = fraction.slice(1);
  const zeros = whole === "0" ? (/^0*/.exec(places)?.[0].length ?? 0) : -whole.length;
  const kept = places.slice(0, Math.max(0, digits + zeros)).replace(/0+$/, "");
  return `${sign}${whole}${kept === "" ? "" : `.${kept}`}`;
}

/** U+2212: as wide as a plus sign. */
export const MINUS = "\u2212";

/** A decimal with a true minus sign. */
export const minus = (text: string): string => text.replace(/^-/, MINUS);

/** Basis points as a percentage with a sign and two places: `−4.36`; without a sign where they round to zero. */
export function signedPercent(bps: number): string {
  const shown = (Math.abs(bps) / 100).toFixed(2);
  return Number(shown) === 0 ? "0.00" : `${bps < 0 ? MINUS : "+"}${grouped(shown)}`;
}

/** Basis points with a sign and one place: `+1,234.5`; without a sign where they round to zero. */
export function signedBps(value: number): string {
  const shown = Math.abs(value).toFixed(1);
  return Number(shown) === 0 ? "0.0" : `${value < 0 ? MINUS : "+"}${grouped(shown)}`;
}
