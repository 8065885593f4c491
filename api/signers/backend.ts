/** A key that is kept elsewhere: one key, which signs one kind of thing, and why it did not sign. */
import { AttestorError } from "../../attestor/values/attestorErrors.ts";

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

export type FaultKind =
  | "unusable" // the key is not what the settings say
  | "refused" // the backend said no
  | "slow" // no answer in time
  | "wrong"; // an answer that is none, or of another key

/** Its message is for operators: our own words, and the names that the backend's protocol has for errors. */
export class BackendFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BackendFault";
    this.kind = kind;
  }
}

export const tooSlow = (timeoutMs: number): BackendFault =>
  new BackendFault("slow", `it did not answer within ${timeoutMs} ms`);

/** What operators read of a failure. Of an error that is not ours only the name: its text could hold anything. */
export function faultText(error: unknown): string {
  if (error instanceof BackendFault || error instanceof AttestorError) return error.message;
  return `it failed (${error instanceof Error ? error.name : "unknown"})`;
}

/** Whether the backend gave something that must never leave: more than being away. */
export function isWrongAnswer(error: unknown): boolean {
  return error instanceof BackendFault
    ? error.kind === "wrong"
    : error instanceof AttestorError && error.code === "wrong_signature";
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
