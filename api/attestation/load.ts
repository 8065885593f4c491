/** Opens the attestation key from where the settings say it is. */
import { readFile } from "node:fs/promises";
import type { GuardDomain } from "../../attestor/certificate/certificate.ts";
import { type CertificateSigner, signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import type { Logger } from "../metrics/logger.ts";
import { assertNotDevelopmentKey, type Config, ConfigError } from "../settings/config.ts";
import type { KmsSetting } from "../settings/signers.ts";
import { openKmsKey } from "../signers/aws/kms.ts";
import { type BackendSigner, openingFault, watchedSigner } from "../signers/certificates.ts";
import { signerFromKeystore } from "./keystore.ts";

/** The key that the service starts with. */
export interface FirstKey {
  readonly signer: CertificateSigner;
  /** null for a key in this process. */
  readonly backend: BackendSigner | null;
}

/**
 * @throws AttestorError `invalid_key`; ConfigError for a missing key, or a development key in the live profile
 */
export async function openFirstKey(
  { attestor, signers, profile }: Pick<Config, "attestor" | "signers" | "profile">,
  domain: GuardDomain,
  logger: Logger,
): Promise<FirstKey> {
  if (attestor === null)
    throw new ConfigError(["the attestation key is missing: set ATTESTOR_KEYSTORE or ATTESTOR_PRIVATE_KEY"]);
  if (attestor.backend === "aws-kms") {
    const backend = await openBackend("ATTESTOR_KMS_KEY", attestor, { signers, profile }, domain, logger);
    return { signer: backend, backend };
  }
  const signer =
    attestor.backend === "keystore"
      ? await signerFromKeystore(await readKeystore(attestor.path), attestor.passphrase.reveal(), domain)
      : signerFromPrivateKey(attestor.privateKey.reveal(), domain);
  if (profile === "live") assertNotDevelopmentKey(signer.address);
  return { signer, backend: null };
}

async function readKeystore(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new AttestorError("invalid_key", "the keystore file cannot be read");
  }
}

/**
 * A key that is kept elsewhere, after it has signed once.
 * @param name of the setting
 * @throws AttestorError `invalid_key`; ConfigError for a development key in the live profile
 */
export async function openBackend(
  name: "ATTESTOR_KMS_KEY" | "ATTESTOR_NEXT_KMS_KEY",
  setting: KmsSetting,
  { signers, profile }: Pick<Config, "signers" | "profile">,
  domain: GuardDomain,
  logger: Logger,
): Promise<BackendSigner> {
  const options = { key: setting.key, curve: "secp256k1", timeoutMs: signers.attestorTimeoutMs } as const;
  const key = await openKmsKey(options).catch((error: unknown) => {
    throw openingFault(name, error);
  });
  try {
    const signer = await watchedSigner(key, domain, logger);
    if (profile === "live") assertNotDevelopmentKey(signer.address);
    return signer;
  } catch (error) {
    await key.stop();
    throw error;
  }
}
