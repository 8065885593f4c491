/** Reading bytes from front to back. */
import { AttestorError } from "../values/attestorErrors.ts";

/** Numbers are big-endian, as every publisher writes them. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @throws AttestorError `invalid_proof` when there are fewer */
  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new AttestorError("invalid_proof", "it ends too early");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }

  /** @param size in bytes */
  unsigned(size: number): bigint {
    return this.take(size).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  /** Two's complement. @param size in bytes */
  signed(size: number): bigint {
    return BigInt.asIntN(size * 8, this.unsigned(size));
  }

  /** @param size in bytes, at most six */
  number(size: number): number {
    return Number(this.unsigned(size));
  }

  /** @throws AttestorError `invalid_proof` when something follows */
  end(): void {
    if (this.#at !== this.#bytes.length)
      throw new AttestorError("invalid_proof", "something follows after its end");
  }
}
