/** Raw units of a token as people write them. */
import { decimalText } from "./fraction.ts";

/**
 * Exact, without zeros at its end: 10000 raw units of a token with 6 decimals are `0.01`.
 * @param raw decimal text or a number of raw units
 */
export const wholeUnits = (raw: string | bigint, decimals: number): string =>
  decimalText({ digits: BigInt(raw), places: decimals });

/**
 * Raw units of what people write.
 * @param text whole tokens, such as `0.01`
 * @returns decimal text; null for what is no such number, or has more places than the token
 */
export function rawUnits(text: string, decimals: number): string | null {
  const [, whole, places = ""] = /^([0-9]{1,78})(?:\.([0-9]+))?$/.exec(text) ?? [];
  if (whole === undefined || places.length > decimals) return null;
  return BigInt(whole + places.padEnd(decimals, "0")).toString();
}
