/**
 * Which edition of the guard stands at an address. The second takes packed trades; everything that the first has, it has as
 * well, by the same hashes and the same domain. The code says which it is, so that no record has to be believed.
 */
import { EXECUTE_PACKED_SELECTOR } from "../../attestor/packedTrade.ts";

export type GuardEdition = 1 | 2;

/** PUSH4, as the dispatcher compares selectors. */
const PUSH4 = "63";

/** @param code the deployed bytecode, lower-case hexadecimal */
export function editionOfCode(code: string): GuardEdition {
  return code.includes(`${PUSH4}${EXECUTE_PACKED_SELECTOR.slice(2)}`) ? 2 : 1;
}
