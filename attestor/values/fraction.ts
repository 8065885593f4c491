/** Exact arithmetic on decimal text in BigInt: many times faster than a decimal library where a sample has many figures. */

/** Digits and how many of them stand behind the point: "-1.25" is -125 and 2. */
export interface Exact {
  readonly digits: bigint;
  readonly places: number;
}

/** @param text plain decimal text, without an exponent @throws SyntaxError for other text */
export function exactOf(text: string): Exact {
  const point = text.indexOf(".");
  if (point < 0) return { digits: BigInt(text), places: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), places: text.length - point - 1 };
}

/** To look one up is faster than to multiply. */
const POWERS = Array.from({ length: 100 }, (_, exponent) => 10n ** BigInt(exponent));

export const powerOfTen = (exponent: number): bigint => POWERS[exponent] ?? 10n ** BigInt(exponent);

/** Rounded half away from zero. @param under above zero */
export function rounded(over: bigint, under: bigint): bigint {
  const size = (2n * (over < 0n ? -over : over) + under) / (2n * under);
  return over < 0n ? -size : size;
}

/** Decimal text without zeros at its end: -1250 with 2 places is "-12.5". */
export function decimalText({ digits, places }: Exact): string {
  const size = (digits < 0n ? -digits : digits).toString().padStart(places + 1, "0");
  const whole = size.slice(0, size.length - places);
  const fraction = size.slice(size.length - places).replace(/0+$/, "");
  return `${digits < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
