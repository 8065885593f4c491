/** Basis points as the series store them: whole numbers of ten-thousandths. Exact, small, and in order. */
import { Decimal } from "decimal.js";

/** Figures pass through this many digits before they are rounded once. */
export const SeriesDecimal = Decimal.clone({ precision: 80, toExpNeg: -100, toExpPos: 100 });

const UNITS_PER_BPS = 10_000;
/** Below 2^53 and of at most 15 digits, so that numbers hold it exactly. */
const LARGEST_UNITS = 900_000_000_000_000;

/**
 * Rounded half away from zero.
 * @throws RangeError beyond 90 billion basis points
 */
export function unitsOf(bps: Decimal.Value): number {
  const units = new SeriesDecimal(bps).times(UNITS_PER_BPS).toDecimalPlaces(0, Decimal.ROUND_HALF_UP);
  if (!units.isFinite() || units.abs().gt(LARGEST_UNITS))
    throw new RangeError("the figure is beyond any number of basis points");
  return units.isZero() ? 0 : units.toNumber();
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
