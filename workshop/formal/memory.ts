/** The EVM's memory, by bytes, at places that are known. */
import { byteOf, type Word, wordOf } from "./terms.ts";

interface Byte {
  readonly of: Word;
  readonly index: number;
}

export class Memory {
  readonly #bytes = new Map<number, Byte>();

  store(at: number, word: Word): void {
    for (let index = 0; index < 32; index++) this.#bytes.set(at + index, { of: word, index });
  }

  load(at: number): Word {
    const bytes = Array.from({ length: 32 }, (_, index) => this.#bytes.get(at + index));
    const first = bytes[0];
    if (first !== undefined && bytes.every((byte, index) => byte?.of === first.of && byte.index === index))
      return first.of;
    return wordOf(bytes.map((byte) => (byte === undefined ? 0n : byteOf(byte.of, byte.index))));
  }
}
