/**
 * Wormhole's signed message ("VAA"), as Pythnet's prices travel in it: version 1, the number of the guardian set, the
 * guardians' signatures, and the body that they signed.
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../evm/hash.ts";
import { signerOf as recoveredSigner } from "../evm/signature.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import type { UnixSeconds } from "../values/time.ts";
import { ByteReader } from "./bytes.ts";

const VERSION = 1;

export interface GuardianSignature {
  /** Place of the guardian in its set. */
  readonly guardian: number;
  /** r and s, 32 bytes each. */
  readonly signature: Uint8Array;
  readonly recovery: number;
}

export interface Vaa {
  readonly guardianSet: number;
  readonly signatures: readonly GuardianSignature[];
  /** keccak256 of keccak256 of the body: what the guardians signed. */
  readonly digest: Uint8Array;
  readonly timestamp: UnixSeconds;
  /** By Wormhole's numbers of chains. */
  readonly emitterChain: number;
  /** 0x and 64 digits. */
  readonly emitter: string;
  readonly payload: Uint8Array;
}

/** @throws AttestorError `invalid_proof` */
export function parseVaa(bytes: Uint8Array): Vaa {
  const reader = new ByteReader(bytes);
  if (reader.number(1) !== VERSION)
    throw new AttestorError("invalid_proof", `its signed message is not of version ${VERSION}`);
  const guardianSet = reader.number(4);
  const signatures = Array.from({ length: reader.number(1) }, () => ({
    guardian: reader.number(1),
    signature: reader.take(64),
    recovery: reader.number(1),
  }));
  const body = reader.rest();
  const inBody = new ByteReader(body);
  const timestamp = inBody.number(4);
  inBody.take(4); // The nonce, which means nothing here.
  const emitterChain = inBody.number(2);
  const emitter = toHex(inBody.take(32));
  inBody.take(9); // Sequence and consistency level: how final the emitter's chain was.
  const payload = inBody.rest();
  const digest = keccak_256(keccak_256(body));
  return { guardianSet, signatures, digest, timestamp, emitterChain, emitter, payload };
}

/** How many guardians must sign: more than two thirds. */
export function quorumOf(guardians: number): number {
  return Math.floor((guardians * 2) / 3) + 1;
}

/**
 * What keeps these signatures from being those of a quorum of the set; null when nothing does. The signers stand in
 * ascending order, so that nobody counts twice, and each signature has but one accepted form (a low s).
 * @param guardians addresses in the order of the set, EIP-55
 */
export function signatureFault({ signatures, digest }: Vaa, guardians: readonly string[]): string | null {
  const needed = quorumOf(guardians.length);
  if (signatures.length < needed)
    return `${signatures.length} of ${guardians.length} guardians signed, and ${needed} are needed`;
  let last = -1;
  for (const { guardian, signature, recovery } of signatures) {
    if (guardian <= last) return "its guardians do not stand in ascending order";
    last = guardian;
    const expected = guardians[guardian];
    if (expected === undefined) return `its guardian set has no guardian ${guardian}`;
    if (signerOf(signature, recovery, digest) !== expected)
      return `the signature of guardian ${guardian} is not by that guardian`;
  }
  return null;
}

/** To find a signer is the dear part, and one signed root stands behind the prices of many feeds. */
const MAX_KNOWN = 4_096;
const known = new Map<string, string | null>();

/** Address of the key that signed, EIP-55; null for what is no signature. */
function signerOf(compact: Uint8Array, recovery: number, digest: Uint8Array): string | null {
  if (recovery > 1) return null;
  const key = toHex(digest) + toHex(compact) + recovery;
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = recoveredSigner(compact, recovery, digest);
  // Beyond so many all are forgotten at once: proofs come from outside.
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, found);
  return found;
}
