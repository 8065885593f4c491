/** The face of a backend: one key, which signs one kind of thing. */
import { BackendFault } from "./fault.ts";

/** secp256k1 is the attestation key's, Ed25519 the log's. */
export type Curve = "secp256k1" | "ed25519";

export interface OpenKey<Input extends Uint8Array = Uint8Array> {
  /** Uncompressed point of 65 bytes (secp256k1), or 32 bytes (Ed25519). */
  readonly publicKey: Uint8Array;
  /**
   * @param input a digest of 32 bytes (secp256k1), or a message (Ed25519)
   * @returns 64 bytes, not yet checked
   * @throws BackendFault, within the time that the backend was opened with
   */
  sign(input: Input): Promise<Uint8Array>;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

const SIGNATURE_LENGTH = 64;
const KEY_LENGTH = { secp256k1: 65, ed25519: 32 } as const satisfies Record<Curve, number>;

/** @throws BackendFault for what cannot be a signature of either curve */
export function assertSignature(signature: Uint8Array): Uint8Array {
  if (signature.length !== SIGNATURE_LENGTH)
    throw new BackendFault("wrong", `it gave ${signature.length} bytes in place of a signature`);
  return signature;
}

/** @throws BackendFault for what cannot be a public key of the curve */
export function assertPublicKey(publicKey: Uint8Array, curve: Curve): Uint8Array {
  if (publicKey.length !== KEY_LENGTH[curve] || (curve === "secp256k1" && publicKey[0] !== 4))
    throw new BackendFault("unusable", `its public key is none of the curve ${curve}`);
  return publicKey;
}
