/**
 * The one key of the service, behind a face that can sign certificates and nothing else.
 *
 * The key lives in a closure: it cannot be read off the returned object, logged, or serialised.
 */

import { AttestorError } from "./attestorErrors.ts";
import {
  domainSeparator,
  type GuardDomain,
  hashCertificate,
  typedDataDigest,
  VerificationCertificate,
} from "./certificate.ts";
import { type DigestSigner, digestSigner } from "./evm/signature.ts";

export interface CertificateSigner {
  readonly address: string;
  /**
   * The 65-byte signature over the certificate's EIP-712 digest under the guard's domain.
   * @throws AttestorError `invalid_certificate` for anything else
   */
  sign(certificate: VerificationCertificate): Promise<string>;
}

function signerOf(key: DigestSigner, domain: GuardDomain): CertificateSigner {
  const separator = domainSeparator(domain);
  return Object.freeze({
    address: key.address,
    sign: async (certificate: VerificationCertificate) => {
      const parsed = VerificationCertificate.safeParse(certificate);
      if (!parsed.success) throw new AttestorError("invalid_certificate", "only certificates are signed");
      return key.sign(typedDataDigest(separator, hashCertificate(parsed.data)));
    },
  });
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
