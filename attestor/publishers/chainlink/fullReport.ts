/**
 * A full report of Chainlink Data Streams: `abi.encode(bytes32[3] context, bytes blob, bytes32[] rs, bytes32[] ss,
 * bytes32 vs)`. The signers sign the context with the hash of the blob.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { toHex } from "../../evm/hash.ts";
import { AttestorError } from "../../values/attestorErrors.ts";
import { ByteReader } from "../byteReader.ts";

const WORD = 32;
/** Words in front of the blob: the context, three places, and the byte of each recovery in one word. */
const HEAD_WORDS = 7n;

export type FullReport = ReturnType<typeof parseFullReport>;

/**
 * Reads a report that is in its one form: every place where the ABI puts it, and nothing between or behind.
 * @throws AttestorError `invalid_proof`
 */
export function parseFullReport(bytes: Uint8Array) {
  const reader = new ByteReader(bytes);
  const context = reader.take(3 * WORD);
  const places = [reader.unsigned(WORD), reader.unsigned(WORD), reader.unsigned(WORD)];
  const recoveries = reader.take(WORD);
  const blob = reader.take(count(reader, bytes));
  // Blobs are whole words, so that nothing pads them.
  if (blob.length % WORD !== 0) throw notAsEncoded();
  const rs = readWords(reader, bytes);
  const ss = readWords(reader, bytes);
  reader.end();
  const blobAt = HEAD_WORDS * 32n;
  const rsAt = blobAt + 32n + BigInt(blob.length);
  const ssAt = rsAt + 32n + BigInt(rs.length * WORD);
  const isInPlace = [blobAt, rsAt, ssAt].every((place, index) => place === places[index]);
  const isPadded = recoveries.subarray(rs.length).every((byte) => byte === 0);
  if (!isInPlace || !isPadded || rs.length !== ss.length) throw notAsEncoded();
  return {
    /** Names the configuration of signers, 0x and 64 digits. */
    configDigest: toHex(context.subarray(0, WORD)),
    blob,
    digest: keccak_256(concatBytes(keccak_256(blob), context)),
    signatures: rs.map((r, index) => ({
      signature: concatBytes(r, ss[index] as Uint8Array),
      recovery: recoveries[index] as number,
    })),
  };
}

function readWords(reader: ByteReader, bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: count(reader, bytes) }, () => reader.take(WORD));
}

/** A length can be no more than all there is. */
function count(reader: ByteReader, bytes: Uint8Array): number {
  const value = reader.unsigned(WORD);
  if (value > BigInt(bytes.length)) throw new AttestorError("invalid_proof", "it ends too early");
  return Number(value);
}

const notAsEncoded = () => new AttestorError("invalid_proof", "it is not in its one form");
