/**
 * Pyth's accumulator update, as Hermes hands it out: a signed Merkle root, then price messages, each with its
 * path to that root. An update keeps its worth when messages are taken out of it.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { toHex } from "../../evm/hash.ts";
import { AttestorError } from "../../values/attestorErrors.ts";
import { sameBytes } from "../../values/bytes.ts";
import { ByteReader } from "../byteReader.ts";

const UPDATE_MAGIC = utf8ToBytes("PNAU");
const ROOT_MAGIC = utf8ToBytes("AUWV");
const MAJOR_VERSION = 1;
const MERKLE = 0;
const NODE_BYTES = 20;

export interface ProvenMessage {
  readonly message: Uint8Array;
  /** From the leaf's neighbour to the root's children, 20 bytes a node. */
  readonly path: readonly Uint8Array[];
}

export interface AccumulatorUpdate {
  /** The signed message that holds the root. */
  readonly vaa: Uint8Array;
  readonly messages: readonly ProvenMessage[];
}

/**
 * Newer minor versions may add a header, which nothing signs: it is passed over.
 * @throws AttestorError `invalid_proof`
 */
export function parseAccumulator(bytes: Uint8Array): AccumulatorUpdate {
  const reader = new ByteReader(bytes);
  if (!sameBytes(reader.take(4), UPDATE_MAGIC))
    throw new AttestorError("invalid_proof", "it is no accumulator update of Pyth");
  const major = reader.number(1);
  if (major !== MAJOR_VERSION)
    throw new AttestorError("invalid_proof", `its version is ${major}, and ${MAJOR_VERSION} is known here`);
  reader.take(1);
  reader.take(reader.number(1));
  if (reader.number(1) !== MERKLE) throw new AttestorError("invalid_proof", "it is no Merkle update");
  const vaa = reader.take(reader.number(2));
  const messages = Array.from({ length: reader.number(1) }, () => ({
    message: reader.take(reader.number(2)),
    path: Array.from({ length: reader.number(1) }, () => reader.take(NODE_BYTES)),
  }));
  reader.end();
  return { vaa, messages };
}

/** The one form in which an update with these messages is written: without a header of a later version. */
export function encodeAccumulator({ vaa, messages }: AccumulatorUpdate): Uint8Array {
  return concatBytes(
    UPDATE_MAGIC,
    Uint8Array.of(MAJOR_VERSION, 0, 0, MERKLE),
    uint16(vaa.length),
    vaa,
    Uint8Array.of(messages.length),
    ...messages.flatMap(({ message, path }) => [
      uint16(message.length),
      message,
      Uint8Array.of(path.length),
      ...path,
    ]),
  );
}

/** The Merkle root in a signed message's payload, 20 bytes, and its slot. @throws AttestorError `invalid_proof` */
export function rootIn(payload: Uint8Array): { root: Uint8Array; slot: bigint } {
  const reader = new ByteReader(payload);
  if (!sameBytes(reader.take(4), ROOT_MAGIC) || reader.number(1) !== MERKLE)
    throw new AttestorError("invalid_proof", "what was signed is no Merkle root of Pyth's prices");
  const slot = reader.unsigned(8);
  reader.take(4); // The size of the ring of roots on Pythnet, which means nothing here.
  const root = reader.take(NODE_BYTES);
  reader.end();
  return { root, slot };
}

/** What is signed of such a root. */
export function rootPayload(root: Uint8Array, slot: bigint): Uint8Array {
  const numbers = new Uint8Array(12);
  new DataView(numbers.buffer).setBigUint64(0, slot);
  return concatBytes(ROOT_MAGIC, Uint8Array.of(MERKLE), numbers, root);
}

export function leafHash(message: Uint8Array): Uint8Array {
  return hash160(Uint8Array.of(0), message);
}

/** Neighbours are hashed in the order of their bytes, so that a path needs no directions. */
export function nodeHash(one: Uint8Array, other: Uint8Array): Uint8Array {
  const [first, second] = toHex(one) < toHex(other) ? [one, other] : [other, one];
  return hash160(Uint8Array.of(1), first, second);
}

/** Whether the path leads from the message to the root. */
export function leadsTo(root: Uint8Array, { message, path }: ProvenMessage): boolean {
  return sameBytes(path.reduce(nodeHash, leafHash(message)), root);
}

/** The first 20 bytes of keccak256. */
function hash160(...parts: Uint8Array[]): Uint8Array {
  return keccak_256(concatBytes(...parts)).subarray(0, NODE_BYTES);
}

function uint16(value: number): Uint8Array {
  if (value > 0xffff) throw new AttestorError("invalid_proof", "a part of it is longer than 65,535 bytes");
  return Uint8Array.of(value >> 8, value & 0xff);
}
