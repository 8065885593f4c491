/** Hexadecimal and keccak256, as every contract and every wallet has them. */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexToBytes as bytesOfDigits, bytesToHex } from "@noble/hashes/utils.js";

/** @throws TypeError for text that is not 0x and whole bytes */
export function fromHex(text: string): Uint8Array {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text)) throw new TypeError("this is not hexadecimal");
  return bytesOfDigits(text.slice(2));
}

/** 0x and lower-case digits. */
export function toHex(bytes: Uint8Array): string {
  return `0x${bytesToHex(bytes)}`;
}

/** @param data bytes, or hexadecimal text of them @throws TypeError as `fromHex` */
export function keccak256(data: Uint8Array | string): string {
  return toHex(keccak_256(typeof data === "string" ? fromHex(data) : data));
}

/** keccak256 of a text's UTF-8 bytes. */
export function id(text: string): string {
  return toHex(keccak_256(new TextEncoder().encode(text)));
}

/** @throws TypeError as `fromHex` */
export function concat(parts: readonly string[]): string {
  return toHex(joined(parts));
}

/** keccak256 of parts, one behind the other. @throws TypeError as `fromHex` */
export function keccakOf(parts: readonly string[]): string {
  return toHex(keccak_256(joined(parts)));
}

const joined = (parts: readonly string[]) =>
  fromHex(`0x${parts.map((part) => checked(part).slice(2)).join("")}`);

function checked(part: string): string {
  if (!part.startsWith("0x") || part.length % 2 !== 0) throw new TypeError("this is not hexadecimal");
  return part;
}
