import { Decimal } from "decimal.js";

/**
 * Decimals precise enough for every figure that evidence can have, to its last place: the longest has some 240 digits. A
 * private copy: nobody's settings of the library reach it.
 */
export const EvidenceDecimal = Decimal.clone({
  defaults: true,
  precision: 300,
  rounding: Decimal.ROUND_HALF_UP,
});
export type EvidenceDecimal = Decimal;
