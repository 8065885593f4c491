/** Solidity's ABI as far as this room needs it: words of 32 bytes, and behind them byte strings, lists and structs. */
import { checksumAddress } from "./address.ts";
import { concat, fromHex, toHex } from "./hash.ts";

export const WORD_BYTES = 32;
const WORD_DIGITS = 64;

/** A uint256 as a word. @throws RangeError when it does not fit */
export function uintWord(value: string | number | bigint): string {
  const number = BigInt(value);
  if (number < 0n || number >> 256n !== 0n) throw new RangeError("this does not fit into 256 bits");
  return `0x${number.toString(16).padStart(WORD_DIGITS, "0")}`;
}

/** @throws TypeError for what is no address */
export function addressWord(address: string): string {
  return `0x${checksumAddress(address).slice(2).toLowerCase().padStart(WORD_DIGITS, "0")}`;
}

/** So many bytes, at the front of their word. @throws TypeError for another number of them */
function bytesWord(text: string, size: number): string {
  const bytes = fromHex(text);
  if (bytes.length !== size) throw new TypeError(`these are not ${size} bytes`);
  return `0x${text.slice(2).toLowerCase().padEnd(WORD_DIGITS, "0")}`;
}

/** A word by its Solidity type: `address`, `uint…` or `bytes…`. */
export function wordOf(type: string, value: string | number | bigint): string {
  if (type === "address") return addressWord(String(value));
  if (type.startsWith("uint")) return sizedUint(value, Number(type.slice(4)));
  return bytesWord(String(value), Number(type.slice(5)));
}

function sizedUint(value: string | number | bigint, bits: number): string {
  if (BigInt(value) >> BigInt(bits) !== 0n) throw new RangeError(`this does not fit into ${bits} bits`);
  return uintWord(value);
}

/** An argument: its words in place or, of dynamic length, the tail that its offset points to. */
export type Argument = string | { readonly tail: string };

/** Arguments, or members of a struct of dynamic length, as the ABI has them: tails follow all that has a place of its own. */
export function encodeArguments(parts: readonly Argument[]): string {
  const bytesOf = (part: Argument) => (typeof part === "string" ? (part.length - 2) / 2 : WORD_BYTES);
  let place = parts.reduce((sum, part) => sum + bytesOf(part), 0);
  const heads = parts.map((part) => {
    if (typeof part === "string") return part;
    const here = uintWord(place);
    place += (part.tail.length - 2) / 2;
    return here;
  });
  return concat([...heads, ...parts.flatMap((part) => (typeof part === "string" ? [] : [part.tail]))]);
}

/** A byte string. @param text hexadecimal */
export function bytesTail(text: string): Argument {
  const { length } = fromHex(text);
  const padding = (WORD_BYTES - (length % WORD_BYTES)) % WORD_BYTES;
  return { tail: concat([uintWord(length), text, toHex(new Uint8Array(padding))]) };
}

/** A list. @param items of fixed length, in words */
export function listTail(items: readonly string[]): Argument {
  return { tail: concat([uintWord(items.length), ...items]) };
}

/**
 * Arguments of fixed length, then byte strings: their places follow the words, their bytes come last.
 * @param words of the arguments of fixed length
 * @param strings hexadecimal
 */
export function encodeCall(
  selector: string,
  words: readonly string[],
  strings: readonly string[] = [],
): string {
  return concat([selector, encodeArguments([...words, ...strings.map(bytesTail)])]);
}

/** Reads what is encoded as the ABI says; bytes behind it mean nothing. */
export class WordReader {
  readonly #bytes: Uint8Array;

  /** @param body call data without its selector @throws TypeError for what is not hexadecimal */
  constructor(body: string) {
    this.#bytes = fromHex(body);
  }

  /** @param index of the word @throws RangeError where there is none */
  uint(index: number): bigint {
    return this.#uintAt(index * WORD_BYTES);
  }

  /** EIP-55. @throws RangeError, also for a word that is too large for an address */
  address(index: number): string {
    return this.#addressAt(index * WORD_BYTES);
  }

  /** A list of addresses whose place the word names. @throws RangeError */
  addresses(index: number): string[] {
    const place = this.#indexAt(index * WORD_BYTES);
    const count = this.#indexAt(place);
    if (count * WORD_BYTES > this.#bytes.length - place)
      throw new RangeError("this is longer than the call data");
    return Array.from({ length: count }, (_, item) => this.#addressAt(place + (item + 1) * WORD_BYTES));
  }

  #uintAt(place: number): bigint {
    if (place + WORD_BYTES > this.#bytes.length) throw new RangeError("the call data ends too early");
    return BigInt(toHex(this.#bytes.subarray(place, place + WORD_BYTES)));
  }

  #indexAt(place: number): number {
    const value = this.#uintAt(place);
    if (value > BigInt(this.#bytes.length)) throw new RangeError("this lies behind the call data");
    return Number(value);
  }

  #addressAt(place: number): string {
    const value = this.#uintAt(place);
    if (value >> 160n !== 0n) throw new RangeError("this is no address");
    return checksumAddress(`0x${value.toString(16).padStart(40, "0")}`);
  }
}
