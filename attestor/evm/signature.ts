/** ECDSA over secp256k1 as contracts check it: 65 bytes, a low s, the address of the key. */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { checksumAddress } from "./address.ts";
import { fromHex, keccak256, toHex } from "./hash.ts";

/**
 * The signer; null for an invalid signature, or one with a high s, which contracts refuse.
 * @param compact r and s, 32 bytes each
 * @param recovery 0 or 1
 * @returns EIP-55
 */
export function signerOf(compact: Uint8Array, recovery: number, digest: Uint8Array): string | null {
  if (recovery !== 0 && recovery !== 1) return null;
  try {
    const signature = secp256k1.Signature.fromBytes(compact, "compact").addRecoveryBit(recovery);
    if (signature.hasHighS()) return null;
    return addressOfKey(signature.recoverPublicKey(digest).toBytes(false));
  } catch {
    // Not every 65 bytes are a point and two scalars.
    return null;
  }
}

/** @param publicKey uncompressed, 65 bytes */
function addressOfKey(publicKey: Uint8Array): string {
  return checksumAddress(`0x${keccak256(publicKey.subarray(1)).slice(26)}`);
}

/**
 * The signer of the digest, by a signature in the one form that the guard takes: r, s and 27 or 28, lower case.
 * @returns EIP-55; null where it is none
 */
export function recoverAddress(digest: string, signature: string): string | null {
  if (!/^0x[0-9a-f]{128}(1b|1c)$/.test(signature)) return null;
  const bytes = fromHex(signature);
  return signerOf(bytes.subarray(0, 64), (bytes[64] as number) - 27, fromHex(digest));
}

const ORDER = secp256k1.Point.CURVE().n;

/**
 * A signature as contracts take it, of one that a backend gave: s made low, and v found by asking who signed.
 * @param compact r and s, 32 bytes each, s high or low
 * @param address EIP-55, of the key that was asked
 * @returns r, s and 27 or 28, lower case; null where that key did not sign this digest
 */
export function recoverableSignature(compact: Uint8Array, digest: string, address: string): string | null {
  const low = withLowS(compact);
  if (low === null) return null;
  const hashed = fromHex(digest);
  const recovery = [0, 1].find((bit) => signerOf(low, bit, hashed) === address);
  return recovery === undefined ? null : `${toHex(low)}${recovery === 1 ? "1c" : "1b"}`;
}

/** With s, the order less s is a signature of the same key too. */
function withLowS(compact: Uint8Array): Uint8Array | null {
  try {
    const signature = secp256k1.Signature.fromBytes(compact, "compact");
    if (!signature.hasHighS()) return compact;
    return new secp256k1.Signature(signature.r, ORDER - signature.s).toBytes("compact");
  } catch {
    return null;
  }
}

/**
 * r and s of 32 bytes each, from the ASN.1 that some backends answer, read strictly (DER).
 * @returns null for what is none
 */
export function compactOfDer(der: Uint8Array): Uint8Array | null {
  try {
    return secp256k1.Signature.fromBytes(der, "der").toBytes("compact");
  } catch {
    return null;
  }
}

/**
 * The address of a public key.
 * @param publicKey a point of the curve, uncompressed: 65 bytes
 * @returns EIP-55; null for what is no such point
 */
export function addressOfPublicKey(publicKey: Uint8Array): string | null {
  try {
    return addressOfKey(secp256k1.Point.fromBytes(publicKey).toBytes(false));
  } catch {
    return null;
  }
}

/** A private key that can be used but not read. */
export interface DigestSigner {
  /** EIP-55. */
  readonly address: string;
  /** @param digest 0x and 64 digits @returns 65 bytes, the same every time */
  sign(digest: string): string;
}

/** @param privateKey 0x and 64 digits @throws for what is no key of the curve */
export function digestSigner(privateKey: string): DigestSigner {
  const key = fromHex(privateKey);
  const address = addressOfKey(secp256k1.getPublicKey(key, false));
  return {
    address,
    sign(digest) {
      const signature = secp256k1.sign(fromHex(digest), key, { prehash: false, format: "recovered" });
      const [recovery] = signature;
      return `${toHex(signature.subarray(1))}${recovery === 1 ? "1c" : "1b"}`;
    },
  };
}
