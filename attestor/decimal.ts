import { Decimal } from "decimal.js";

/**
 * Decimals precise enough for the products and quotients of two uint256. A private copy: nobody's
 * settings of the library reach it.
 */
export const Exact = Decimal.clone({ defaults: true, precision: 200, rounding: Decimal.ROUND_HALF_UP });
export type Exact = Decimal;
