/** Basis points as the series store them: whole numbers of ten-thousandths. Exact, small, and in order. */
import { Decimal } from "decimal.js";
import { decimalText, exactOf, powerOfTen, rounded } from "../../attestor/values/fraction.ts";

/** Figures pass through this many digits before they are rounded once. */
export const SeriesDecimal = Decimal.clone({ precision: 80, toExpNeg: -100, toExpPos: 100 });

/** Decimal text of a sum of decimal texts. */
export const sumOf = (figures: readonly string[]): string =>
  figures.reduce((total, figure) => total.plus(figure), new SeriesDecimal(0)).toFixed();

const UNITS_PER_BPS = 10_000;
export const BPS_PER_ONE = 10_000n;
const UNITS_PER_ONE = BPS_PER_ONE * BigInt(UNITS_PER_BPS);
/** Below 2^53 and of at most 15 digits, so that numbers hold it exactly. */
const LARGEST_UNITS = 900_000_000_000_000n;

/**
 * Of a fraction of two whole numbers, such as 1/100 for one percent; rounded half away from zero.
 * @param under above zero
 * @throws RangeError beyond 90 billion basis points
 */
export function unitsOfFraction(over: bigint, under: bigint): number {
  const units = rounded(over * UNITS_PER_ONE, under);
  if (units > LARGEST_UNITS || units < -LARGEST_UNITS)
    throw new RangeError("the figure is beyond any number of basis points");
  return Number(units);
}

/** Of basis points as decimal text, as `unitsOfFraction`. @throws RangeError, SyntaxError */
export function unitsOf(bps: string): number {
  const { digits, places } = exactOf(bps);
  return unitsOfFraction(digits, BPS_PER_ONE * powerOfTen(places));
}

/** Behind the point: `FRACTIONS[1250]` is `".125"`. A series has thousands of figures, and to look them up is many times faster. */
const FRACTIONS = Array.from({ length: UNITS_PER_BPS }, (_, units) =>
  units === 0 ? "" : `.${String(units).padStart(4, "0")}`.replace(/0+$/, ""),
);

/** Decimal text of basis points: `"-12.5"`. */
export function bpsText(units: number | null): string | null {
  if (units === null) return null;
  const size = Math.abs(units);
  const whole = Math.floor(size / UNITS_PER_BPS);
  return `${units < 0 ? "-" : ""}${whole}${FRACTIONS[size - whole * UNITS_PER_BPS]}`;
}

const SHARE_PRICE_PLACES = 12;

/** US dollars as decimal text, rounded to 12 places: for looking. What it follows from is shown beside it, unrounded. */
export function pricePerShare(tokenPriceUsd: string | null, sharesPerToken: string | null): string | null {
  if (tokenPriceUsd === null || sharesPerToken === null) return null;
  const [price, shares] = [exactOf(tokenPriceUsd), exactOf(sharesPerToken)];
  const over = price.digits * powerOfTen(shares.places + SHARE_PRICE_PLACES);
  const digits = rounded(over, shares.digits * powerOfTen(price.places));
  return decimalText({ digits, places: SHARE_PRICE_PLACES });
}
