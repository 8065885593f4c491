/** Addresses with their EIP-55 checksum. */
import { id, keccakOf } from "./hash.ts";

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

/**
 * The executor of a guard, which the guard's constructor creates as its first contract: the address follows from the
 * guard's own, so nobody has to be asked for it.
 * @returns EIP-55 @throws TypeError for what is no address
 */
export function executorOf(guard: string): string {
  // RLP of a list of the guard's address (20 bytes) and its nonce, 1.
  const hash = keccakOf(["0xd694", checksumAddress(guard).toLowerCase(), "0x01"]);
  return checksumAddress(`0x${hash.slice(-40)}`);
}
