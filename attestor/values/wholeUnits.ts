/** Raw units of a token as people write them. */
import { EvidenceDecimal } from "./decimal.ts";

/**
 * Exact, without zeros at its end: 10000 raw units of a token with 6 decimals are `0.01`.
 * @param raw decimal text or a number of raw units
 */
export function wholeUnits(raw: string | bigint, decimals: number): string {
  return new EvidenceDecimal(BigInt(raw).toString())
    .dividedBy(new EvidenceDecimal(10).pow(decimals))
    .toFixed();
}
