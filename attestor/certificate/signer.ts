/**
 * The one key of the service, behind an interface that can sign nothing but certificates. The key lives in a closure:
 * it cannot be read off the returned object, logged, or serialized.
 */
import { fromHex } from "../evm/hash.ts";
import { type DigestSigner, digestSigner, recoverableSignature } from "../evm/signature.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import {
  domainSeparator,
  type GuardDomain,
  hashCertificate,
  typedDataDigest,
  VerificationCertificate,
} from "./certificate.ts";

export interface CertificateSigner {
  readonly address: string;
  /**
   * The 65-byte signature over the certificate's EIP-712 digest under the guard's domain.
   * @throws AttestorError `invalid_certificate` for anything else, `wrong_signature` where a backend returned another
   *   one; and any error of the backend
   */
  sign(certificate: VerificationCertificate): Promise<string>;
  /** Of a key that is kept elsewhere. @throws while it is known that it cannot sign, before anybody works in vain */
  assertAvailable?(): void;
}

declare const certified: unique symbol;
/** 32 bytes that this file hashed from a certificate. Nothing else makes one, and a backend takes nothing else. */
export type CertificateDigest = Uint8Array & { readonly [certified]: true };

const digests = new WeakSet<Uint8Array>();

/** Whether bytes are the digest of a certificate, made here: a type can be claimed, this cannot. */
export function isCertificateDigest(bytes: Uint8Array): bytes is CertificateDigest {
  return digests.has(bytes);
}

function certificateDigest(digest: string): CertificateDigest {
  const bytes = fromHex(digest) as CertificateDigest;
  digests.add(bytes);
  return bytes;
}

/** A key that is kept elsewhere, in hardware or in a cloud. */
export interface KeyBackend {
  /** Of the key, EIP-55. */
  readonly address: string;
  /** @returns r and s, 32 bytes each. Nobody believes it before the address was recovered from it */
  sign(digest: CertificateDigest): Promise<Uint8Array>;
}

function signerOf(key: DigestSigner, domain: GuardDomain): CertificateSigner {
  const digestOf = digestsUnder(domain);
  return Object.freeze({
    address: key.address,
    sign: async (certificate: VerificationCertificate) => key.sign(digestOf(certificate)),
  });
}

/** @throws AttestorError `invalid_certificate`, from what it returns */
function digestsUnder(domain: GuardDomain): (certificate: VerificationCertificate) => string {
  const separator = domainSeparator(domain);
  return (certificate) => {
    const parsed = VerificationCertificate.safeParse(certificate);
    if (!parsed.success) throw new AttestorError("invalid_certificate", "only certificates are signed");
    return typedDataDigest(separator, hashCertificate(parsed.data));
  };
}

/**
 * Backend for the local profile: the key from an environment variable.
 * @param privateKey 32 bytes in hexadecimal
 * @throws AttestorError `invalid_key`, which never repeats the key
 */
export function signerFromPrivateKey(privateKey: string, domain: GuardDomain): CertificateSigner {
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey))
    throw new AttestorError("invalid_key", "the attestation key must be 0x and 64 hexadecimal digits");
  try {
    return signerOf(digestSigner(privateKey), domain);
  } catch {
    // The library's error could carry the key.
    throw new AttestorError("invalid_key", "the attestation key is no private key of the curve secp256k1");
  }
}

/**
 * Backend that keeps the key elsewhere. What it signed is computed again from the certificate, and the signer recovered,
 * before a signature leaves: another one never does.
 */
export function signerFromBackend(backend: KeyBackend, domain: GuardDomain): CertificateSigner {
  const digestOf = digestsUnder(domain);
  const { address } = backend;
  return Object.freeze({
    address,
    sign: async (certificate: VerificationCertificate) => {
      const answer = await backend.sign(certificateDigest(digestOf(certificate)));
      // The certificate as it leaves: who waited may have changed it.
      const signature = recoverableSignature(answer, digestOf(certificate), address);
      if (signature === null)
        throw new AttestorError("wrong_signature", "the signature is not one of the attestation key");
      return signature;
    },
  });
}
