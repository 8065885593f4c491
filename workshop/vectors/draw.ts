/** Draws for vectors, from one seed: the same seed gives the same vectors. */
import { randomStream } from "../../devnet/random.ts";

export interface Draw {
  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** An integer of up to so many decimal digits, at least 1. */
  digits(most: number): bigint;
  /** True once in so many times. */
  once(inHowMany: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Some of a list, at least one, in its order. */
  some<T>(from: readonly T[]): T[];
  /** Bytes as lower-case hexadecimal with `0x`. */
  hex(bytes: number): string;
}

/** @param place tells one stream of draws from the others */
export function drawFrom(seed: number, ...place: readonly (string | number)[]): Draw {
  const random = randomStream(seed, ...place);
  const int = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const text = (length: number, digit: () => string) => Array.from({ length }, digit).join("");
  return {
    int,
    digits: (most) => BigInt(`${int(1, 9)}${text(int(0, most - 1), () => String(int(0, 9)))}`),
    once: (inHowMany) => int(1, inHowMany) === 1,
    pick: (from) => from[int(0, from.length - 1)]!,
    some: (from) => {
      const kept = from.filter(() => int(0, 1) === 1);
      return kept.length > 0 ? kept : [from[int(0, from.length - 1)]!];
    },
    hex: (bytes) => `0x${text(bytes * 2, () => int(0, 15).toString(16))}`,
  };
}
