/**
 * Words of 256 bits that are either known or a formula. What can be computed is computed, so that formulas stay small
 * and jumps whose condition is known do not fork.
 */

/** A known word, or the text of an SMT-LIB term of sort `(_ BitVec 256)`. */
export type Word = bigint | string;

const MASK = (1n << 256n) - 1n;
const SIGN = 1n << 255n;

export const literal = (value: bigint): string => `#x${(value & MASK).toString(16).padStart(64, "0")}`;
export const smt = (word: Word): string => (typeof word === "bigint" ? literal(word) : word);
const signed = (value: bigint): bigint => (value & SIGN ? value - (1n << 256n) : value);
const flag = (value: boolean): bigint => (value ? 1n : 0n);

type Known = (a: bigint, b: bigint) => bigint;

/** Shift, mask and sign as the EVM has them; SMT-LIB agrees, also for shifts of 256 and more. */
const BINARY: Record<string, readonly [known: Known, formula: (a: string, b: string) => string]> = {
  add: [(a, b) => (a + b) & MASK, (a, b) => `(bvadd ${a} ${b})`],
  sub: [(a, b) => (a - b) & MASK, (a, b) => `(bvsub ${a} ${b})`],
  mul: [(a, b) => (a * b) & MASK, (a, b) => `(bvmul ${a} ${b})`],
  and: [(a, b) => a & b, (a, b) => `(bvand ${a} ${b})`],
  or: [(a, b) => a | b, (a, b) => `(bvor ${a} ${b})`],
  xor: [(a, b) => a ^ b, (a, b) => `(bvxor ${a} ${b})`],
  shl: [(a, b) => (a > 255n ? 0n : (b << a) & MASK), (a, b) => `(bvshl ${b} ${a})`],
  shr: [(a, b) => (a > 255n ? 0n : b >> a), (a, b) => `(bvlshr ${b} ${a})`],
  lt: [(a, b) => flag(a < b), (a, b) => bit(`(bvult ${a} ${b})`)],
  gt: [(a, b) => flag(a > b), (a, b) => bit(`(bvugt ${a} ${b})`)],
  slt: [(a, b) => flag(signed(a) < signed(b)), (a, b) => bit(`(bvslt ${a} ${b})`)],
  sgt: [(a, b) => flag(signed(a) > signed(b)), (a, b) => bit(`(bvsgt ${a} ${b})`)],
  eq: [(a, b) => flag(a === b), (a, b) => bit(`(= ${a} ${b})`)],
};

const bit = (condition: string): string => `(ite ${condition} ${literal(1n)} ${literal(0n)})`;

/** @returns undefined for a name that is no operation on words alone */
export function operate(name: string, args: readonly Word[]): Word | undefined {
  const [a, b] = args as [Word, Word];
  if (name === "iszero") return typeof a === "bigint" ? flag(a === 0n) : bit(`(= ${smt(a)} ${literal(0n)})`);
  if (name === "not") return typeof a === "bigint" ? ~a & MASK : `(bvnot ${a})`;
  const operation = BINARY[name];
  if (operation === undefined) return undefined;
  const [known, formula] = operation;
  return typeof a === "bigint" && typeof b === "bigint" ? known(a, b) : formula(smt(a), smt(b));
}

/** The condition that a word is not zero. */
export const nonZero = (word: Word): string => `(not (= ${smt(word)} ${literal(0n)}))`;

/** One byte of a word, counted from the most significant. */
export function byteOf(word: Word, index: number): bigint | string {
  const low = 8 * (31 - index);
  if (typeof word === "bigint") return (word >> BigInt(low)) & 0xffn;
  return `((_ extract ${low + 7} ${low}) ${word})`;
}

/** 32 bytes, the most significant first, as one word. */
export function wordOf(bytes: readonly (bigint | string)[]): Word {
  if (bytes.every((byte) => typeof byte === "bigint"))
    return bytes.reduce((word, byte) => (word << 8n) | byte, 0n);
  return `(concat ${bytes.map((byte) => (typeof byte === "bigint" ? `#x${byte.toString(16).padStart(2, "0")}` : byte)).join(" ")})`;
}
