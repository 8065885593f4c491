/** The attestation key of a backend: what it is given are digests of certificates, and nothing else. */
import type { GuardDomain } from "../../attestor/certificate/certificate.ts";
import { proofCertificate } from "../../attestor/certificate/keyProof.ts";
import {
  type CertificateSigner,
  isCertificateDigest,
  signerFromBackend,
} from "../../attestor/certificate/signer.ts";
import { addressOfPublicKey } from "../../attestor/evm/signature.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import type { Logger } from "../metrics/logger.ts";
import { watchAvailability } from "./availability.ts";
import type { OpenKey } from "./backend.ts";
import { BackendFault, faultText } from "./backend.ts";

export interface BackendSigner extends CertificateSigner {
  /** @throws SignerUnavailable while the backend is only probed */
  assertAvailable(): void;
  /** Why it could not sign when it was asked last; null: it could. */
  fault(): string | null;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

const WHAT = "The attestation key";
/** Unix seconds of the certificates that probes sign: they prove nothing to anybody. */
const PROBED_AT = 1;

/**
 * The certificate signer of an open key, which is not watched: what goes wrong is thrown.
 * @throws AttestorError `invalid_key` for a key without an address
 */
export function certificateSignerOf(key: OpenKey, domain: GuardDomain): CertificateSigner {
  const address = addressOfPublicKey(key.publicKey);
  if (address === null) throw new AttestorError("invalid_key", "the public key is no point of the curve");
  return signerFromBackend(
    {
      address,
      async sign(digest) {
        if (!isCertificateDigest(digest)) throw new Error("only digests of certificates reach a backend");
        return await key.sign(digest);
      },
    },
    domain,
  );
}

/**
 * Signs once before it resolves, so that a key that cannot sign is known at the start. What is signed is the certificate of a
 * key proof, which no guard can accept.
 * @throws AttestorError `invalid_key`, with what is wrong
 */
export async function watchedSigner(
  key: OpenKey,
  domain: GuardDomain,
  logger: Logger,
): Promise<BackendSigner> {
  const signer = certificateSignerOf(key, domain);
  const { address } = signer;
  const probe = () => signer.sign(proofCertificate(address, PROBED_AT));
  await probe().catch((error: unknown) => {
    throw new AttestorError("invalid_key", `the attestation key cannot sign: ${faultText(error)}`);
  });
  const availability = watchAvailability({ what: WHAT, probe, logger });
  return Object.freeze({
    address,
    sign: (certificate: Parameters<CertificateSigner["sign"]>[0]) =>
      availability.run(() => signer.sign(certificate)),
    assertAvailable: availability.assert,
    fault: availability.fault,
    async stop() {
      await availability.stop();
      await key.stop();
    },
  });
}

/** The error for a key that cannot be opened. */
export function openingFault(setting: string, error: unknown): AttestorError {
  if (error instanceof AttestorError) return error;
  if (!(error instanceof BackendFault)) throw error;
  return new AttestorError("invalid_key", `${setting}: ${error.message}`);
}
