/**
 * Storage slots of the state in the evidence: the guard as compiled, Uniswap V2 pairs and
 * Uniswap V3 pools as deployed. Tests compare these numbers with the compiler and the real bytecode.
 */
import { keccakOf, toHex } from "../evm/hash.ts";
import { addressWord, uintWord, wordOf } from "../evm/words.ts";

/** 32 bytes, lower-case hexadecimal: the form in which a storage slot is asked for. */
export type SlotKey = string;

const plain = (slot: number): SlotKey => uintWord(slot);

/** Where a mapping at a slot keeps what stands under a key. @param key a word */
function mapped(key: string, slot: number): SlotKey {
  return keccakOf([key, uintWord(slot)]);
}

/** An integer with sign as a word: two's complement. */
const intWord = (value: number): string => uintWord(BigInt.asUintN(256, BigInt(value)));

/** A field of a word: `bits` of it from `from` on, counted from the lowest. */
const field = (word: bigint, from: number, bits: number): bigint =>
  BigInt.asUintN(bits, word >> BigInt(from));

export const guardSlots = {
  /** `signer` in the low 160 bits, and `paused` above it. */
  signerAndPaused: plain(3),
  /** `isRouteAllowed`, by route and then by selector. */
  routeAllowed: (route: string, selector: string): SlotKey =>
    keccakOf([wordOf("bytes4", selector), mapped(addressWord(route), 4)]),
  recipientAllowed: (recipient: string): SlotKey => mapped(addressWord(recipient), 5),
} as const;

/** @returns the signer as 0x and 40 lower-case digits */
export function readSignerAndPaused(word: bigint): { signer: string; paused: boolean } {
  return {
    signer: `0x${field(word, 0, 160).toString(16).padStart(40, "0")}`,
    paused: field(word, 160, 8) !== 0n,
  };
}

/** A pair of Uniswap V2 and of its forks: both reserves in one word, below the time of the last change. */
export const v2Slots = { reserves: plain(8) } as const;

export function readReserves(word: bigint): { reserve0: bigint; reserve1: bigint } {
  return { reserve0: field(word, 0, 112), reserve1: field(word, 112, 112) };
}

export const v3Slots = {
  slot0: plain(0),
  liquidity: plain(4),
  /** The first word of a tick: its gross liquidity below, its net liquidity above. */
  tick: (tick: number): SlotKey => mapped(intWord(tick), 5),
  bitmap: (word: number): SlotKey => mapped(intWord(word), 6),
} as const;

export function readSlot0(word: bigint): { sqrtPriceX96: bigint; tick: number } {
  return { sqrtPriceX96: field(word, 0, 160), tick: Number(BigInt.asIntN(24, field(word, 160, 24))) };
}

export function readLiquidity(word: bigint): bigint {
  return field(word, 0, 128);
}

export function readTick(word: bigint): { liquidityGross: bigint; liquidityNet: bigint } {
  return { liquidityGross: field(word, 0, 128), liquidityNet: BigInt.asIntN(128, field(word, 128, 128)) };
}

/** A word of storage as the trie encodes it: without leading zeros. @param value null: zero */
export function storedWord(value: Uint8Array | null): bigint {
  return value === null || value.length === 0 ? 0n : BigInt(toHex(value));
}
