/**
 * Wormhole's signed message ("VAA"), in which Pyth's prices travel: version 1, the number of the set of signers, their
 * signatures, and the body that they signed.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../../evm/hash.ts";
import { AttestorError } from "../../values/attestorErrors.ts";
import type { UnixSeconds } from "../../values/time.ts";
import { ByteReader } from "../byteReader.ts";
import { signerOf } from "../signers.ts";

const VERSION = 1;

/**
 * The signers: until August 2026 Wormhole's guardians, since then Pyth's own routers. Each space numbers its own sets
 * and has its own emitter and quorum.
 */
export const SPACES = {
  wormhole: {
    name: "wormhole guardian set",
    emitter: "0xe101faedac5851e32b9b23b5f9411a8c2bac4aae3ed4dd7b811dd1a72ea4aa71",
    quorum: (signers: number) => Math.floor((signers * 2) / 3) + 1,
  },
  pyth: {
    name: "pyth router set",
    // "Pythnet" four times, and "Pyth".
    emitter: "0x507974686e6574507974686e6574507974686e6574507974686e657450797468",
    quorum: (signers: number) => Math.floor(signers / 2) + 1,
  },
} as const;
export type Space = keyof typeof SPACES;

export interface VaaSignature {
  /** Place of the signer in its set. */
  readonly place: number;
  /** r and s, 32 bytes each. */
  readonly signature: Uint8Array;
  readonly recovery: number;
}

export interface Vaa {
  /** Number of the set in its space. */
  readonly set: number;
  readonly signatures: readonly VaaSignature[];
  /** keccak256 of keccak256 of the body: what was signed. */
  readonly digest: Uint8Array;
  readonly timestamp: UnixSeconds;
  /** By Wormhole's numbers of chains. */
  readonly emitterChain: number;
  /** 0x and 64 digits. */
  readonly emitter: string;
  readonly sequence: bigint;
  readonly payload: Uint8Array;
}

/** @throws AttestorError `invalid_proof` */
export function parseVaa(bytes: Uint8Array): Vaa {
  const reader = new ByteReader(bytes);
  if (reader.number(1) !== VERSION)
    throw new AttestorError("invalid_proof", `its signed message is not of version ${VERSION}`);
  const set = reader.number(4);
  const signatures = Array.from({ length: reader.number(1) }, () => ({
    place: reader.number(1),
    signature: reader.take(64),
    recovery: reader.number(1),
  }));
  const body = reader.rest();
  const inBody = new ByteReader(body);
  const timestamp = inBody.number(4);
  inBody.take(4); // The nonce, which means nothing here.
  const emitterChain = inBody.number(2);
  const emitter = toHex(inBody.take(32));
  const sequence = inBody.unsigned(8);
  inBody.take(1); // The consistency level: how final the emitter's chain was.
  const payload = inBody.rest();
  const digest = keccak_256(keccak_256(body));
  return { set, signatures, digest, timestamp, emitterChain, emitter, sequence, payload };
}

/**
 * Why these signatures are not those of a quorum of the set; null when they are. The signers are in ascending order,
 * so that none counts twice, and each signature has one accepted form (a low s).
 * @param signers addresses in the order of the set, EIP-55
 */
export function signatureFault(
  { signatures, digest }: Vaa,
  space: Space,
  signers: readonly string[],
): string | null {
  const needed = SPACES[space].quorum(signers.length);
  if (signatures.length < needed)
    return `${signatures.length} of ${signers.length} signers signed, and ${needed} are needed`;
  let last = -1;
  for (const { place, signature, recovery } of signatures) {
    if (place <= last) return "its signers are not in ascending order";
    last = place;
    const expected = signers[place];
    if (expected === undefined) return `its set has no signer ${place}`;
    if (signerOf(signature, recovery, digest) !== expected)
      return `the signature of signer ${place} is not by that signer`;
  }
  return null;
}
