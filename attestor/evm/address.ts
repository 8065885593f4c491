/** Addresses with their EIP-55 checksum. */
import { id } from "./hash.ts";

/**
 * @param address 0x and 40 digits: all of one case, or in mixed case with a right checksum
 * @throws TypeError for anything else
 */
export function checksumAddress(address: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new TypeError("this is no address");
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  // The checksum is over the digits as text, without 0x.
  const hash = id(lower);
  const sum = [...lower]
    .map((digit, index) => (Number.parseInt(hash.charAt(2 + index), 16) > 7 ? digit.toUpperCase() : digit))
    .join("");
  if (digits !== lower && digits !== digits.toUpperCase() && digits !== sum)
    throw new TypeError("this address has a wrong checksum");
  return `0x${sum}`;
}
