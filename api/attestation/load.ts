/** Opens the attestation key from where the settings say it is. */
import { readFile } from "node:fs/promises";
import type { GuardDomain } from "../../attestor/certificate/certificate.ts";
import { type CertificateSigner, signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import type { Logger } from "../metrics/logger.ts";
import {
  type AttestorKey,
  assertNotDevelopmentKey,
  type Config,
  ConfigError,
  passphraseIn,
} from "../settings/config.ts";
import { Secret } from "../settings/secret.ts";
import type { BackendSetting } from "../settings/signers.ts";
import { type BackendSigner, openingFault, watchedSigner } from "../signers/certificates.ts";
import { openKey } from "../signers/open.ts";
import { signerFromKeystore } from "./keystore.ts";

export type KeystoreSetting = Extract<AttestorKey, { backend: "keystore" }>;

export interface KeystoreFiles {
  readonly keystore: string;
  readonly passphrase: Secret;
}

/**
 * What the files hold at the moment.
 * @throws AttestorError `invalid_key` when one cannot be read
 */
export async function readKeystoreFiles(given: KeystoreSetting): Promise<KeystoreFiles> {
  const { path, passphrase, passphraseFile } = given;
  const [keystore, typed] = await Promise.all([
    read(path, "the keystore file cannot be read"),
    passphraseFile === null ? null : read(passphraseFile, "the passphrase file cannot be read"),
  ]);
  return { keystore, passphrase: typed === null ? passphrase : new Secret(passphraseIn(typed)) };
}

async function read(path: string, fault: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    throw new AttestorError("invalid_key", fault);
  }
}

/**
 * @throws AttestorError `invalid_key`; ConfigError for a development key in the live profile
 */
export async function openKeystore(
  { keystore, passphrase }: KeystoreFiles,
  domain: GuardDomain,
  profile: Config["profile"],
): Promise<CertificateSigner> {
  const signer = await signerFromKeystore(keystore, passphrase.reveal(), domain);
  if (profile === "live") assertNotDevelopmentKey(signer.address);
  return signer;
}

/** The key that the service starts with, and what it came from. */
export interface FirstKey {
  readonly signer: CertificateSigner;
  /** null for a key of another place. */
  readonly files: KeystoreFiles | null;
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
  if (attestor.backend === "keystore") {
    const files = await readKeystoreFiles(attestor);
    return { signer: await openKeystore(files, domain, profile), files, backend: null };
  }
  if (attestor.backend !== "privateKey") {
    const backend = await openBackend("ATTESTOR", attestor, { signers, profile }, domain, logger);
    return { signer: backend, files: null, backend };
  }
  const signer = signerFromPrivateKey(attestor.privateKey.reveal(), domain);
  if (profile === "live") assertNotDevelopmentKey(signer.address);
  return { signer, files: null, backend: null };
}

/**
 * A key that is kept elsewhere, after it has signed once.
 * @param owner of the settings, as their names begin
 * @throws AttestorError `invalid_key`; ConfigError for a development key in the live profile
 */
export async function openBackend(
  owner: "ATTESTOR" | "ATTESTOR_NEXT",
  setting: BackendSetting,
  { signers, profile }: Pick<Config, "signers" | "profile">,
  domain: GuardDomain,
  logger: Logger,
): Promise<BackendSigner> {
  const name = `${owner}_${setting.backend === "pkcs11" ? "PKCS11" : "KMS"}`;
  const key = await openKey(setting, "secp256k1", signers.attestorTimeoutMs).catch((error: unknown) => {
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
