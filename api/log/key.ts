/**
 * The log's key: its own Ed25519 key behind an interface that signs only checkpoints. It can move nothing and certify
 * nothing. It is in a closure: it cannot be read off the returned object, logged, or serialized.
 *
 * Its keystore is encrypted like the attestation key's (Web3 Secret Storage, version 3). A separate mark ensures that
 * neither is taken for the other.
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from "node:crypto";
import { decryptKeystoreJson, getBytes } from "ethers";
import { z } from "zod";
import { type Checkpoint, checkpointText } from "../../attestor/log/checkpoint.ts";
import { noteText, type VerifierKey, verifierKey } from "../../attestor/log/note.ts";
import { orElse } from "../../attestor/values/orElse.ts";

/** What the file of a log's key says that it is. */
const LOG_KEYSTORE_MARK = "assay-log-ed25519";
const SEED_LENGTH = 32;
/** RFC 8410: what stands before the seed, and before the public key. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_PREFIX_LENGTH = 12;

/** The local world's log key. Everybody has it: what it signs proves nothing. */
const DEVELOPMENT_SEED = hash("sha256", "assay: the development key of local decision logs", "buffer");

export class LogKeyError extends Error {
  override readonly name = "LogKeyError";
}

export interface LogSigner {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  readonly isDevelopmentKey: boolean;
  /** The key under a log's name. */
  keyOf(origin: string): VerifierKey;
  /**
   * The signed note of a checkpoint.
   * @throws the backend's error; LogKeyError where its signature is wrong
   */
  sign(checkpoint: Checkpoint): string | Promise<string>;
  /** Why a backend did not sign when it was asked last; null: it did. Only of a key that has one. */
  fault?(): string | null;
  stop?(): Promise<void>;
}

/** One whose key is in this process. */
export interface HeldLogSigner extends LogSigner {
  sign(checkpoint: Checkpoint): string;
}

declare const checkpointed: unique symbol;
/** The text of a checkpoint as bytes, made in this file: a backend takes nothing else. */
export type CheckpointBytes = Uint8Array & { readonly [checkpointed]: true };

function privateKeyOf(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_LENGTH) throw new LogKeyError("a log's key must have 32 bytes");
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
}

/** The public key of a seed, 32 bytes each. */
export function publicKeyOf(seed: Uint8Array): Uint8Array {
  const spki = createPublicKey(privateKeyOf(seed)).export({ format: "der", type: "spki" });
  return new Uint8Array(spki.subarray(SPKI_PREFIX_LENGTH));
}

/** What signs with a seed, for those who hold one: the log's key, or a witness's. */
export function signing(seed: Uint8Array): (message: Uint8Array) => Uint8Array {
  const key = privateKeyOf(seed);
  return (message) => new Uint8Array(sign(null, message, key));
}

/** The public half of a signer. */
const publicHalf = (publicKey: Uint8Array) => ({
  publicKey,
  isDevelopmentKey: Buffer.from(publicKeyOf(DEVELOPMENT_SEED)).equals(publicKey),
  keyOf: (origin: string) => verifierKey(origin, 1, publicKey),
});

/** A checkpoint's note with one signature, by the key under the log's name. */
function noteOf(text: string, { name, id }: VerifierKey, signature: Uint8Array): string {
  return noteText({ text, signatures: [{ name, keyId: id, signature }] });
}

/** @param seed 32 bytes */
export function logSigner(seed: Uint8Array): HeldLogSigner {
  const signed = signing(seed);
  const half = publicHalf(publicKeyOf(seed));
  return Object.freeze({
    ...half,
    sign(checkpoint: Checkpoint) {
      const text = checkpointText(checkpoint);
      return noteOf(text, half.keyOf(checkpoint.origin), signed(Buffer.from(text)));
    },
  });
}

export const developmentLogSigner = (): HeldLogSigner => logSigner(DEVELOPMENT_SEED);

/** A log's key that is kept elsewhere. */
export interface LogKeyBackend {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  sign(text: CheckpointBytes): Promise<Uint8Array>;
}

/** Signs by a backend. A signature that is not one of its key over this checkpoint never leaves. */
export function logSignerFromBackend({ publicKey, sign: ask }: LogKeyBackend): LogSigner {
  const spki = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey).toString("base64url") },
    format: "jwk",
  });
  const half = publicHalf(publicKey);
  return Object.freeze({
    ...half,
    async sign(checkpoint: Checkpoint) {
      const text = checkpointText(checkpoint);
      const signature = await ask(new Uint8Array(Buffer.from(text)) as CheckpointBytes);
      if (!verify(null, Buffer.from(text), spki, signature))
        throw new LogKeyError("the signature is not one of the log's key");
      return noteOf(text, half.keyOf(checkpoint.origin), signature);
    },
  });
}

/** The keystore of a log's key, from one that holds the same 32 bytes as any other key. */
export function markedAsLogKey(keystore: string, seed: Uint8Array): string {
  const { version, id, Crypto, crypto } = JSON.parse(keystore);
  const publicKey = Buffer.from(publicKeyOf(seed)).toString("hex");
  return JSON.stringify({ version, id, kind: LOG_KEYSTORE_MARK, publicKey, crypto: crypto ?? Crypto });
}

const Marked = z.looseObject({ version: z.literal(3), kind: z.literal(LOG_KEYSTORE_MARK) });

/**
 * @param keystore content of the file that `assay keystore create --log` wrote
 * @throws LogKeyError, which never repeats anything of the file
 */
export async function logSignerFromKeystore(keystore: string, passphrase: string): Promise<LogSigner> {
  if (!orElse(() => Marked.safeParse(JSON.parse(keystore)).success, false))
    throw new LogKeyError(
      "the file is not the keystore of a log's key: make one with assay keystore create --log",
    );
  const { privateKey } = await decryptKeystoreJson(keystore, passphrase).catch(() => {
    throw new LogKeyError("the passphrase does not open the log's keystore");
  });
  return logSigner(getBytes(privateKey));
}
