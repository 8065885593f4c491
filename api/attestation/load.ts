/** Opens the attestation key from where the settings say it is. */
import { readFile } from "node:fs/promises";
import { AttestorError } from "../../attestor/attestorErrors.ts";
import type { GuardDomain } from "../../attestor/certificate.ts";
import { type CertificateSigner, signerFromPrivateKey } from "../../attestor/signer.ts";
import {
  type AttestorKey,
  assertNotDevelopmentKey,
  type Config,
  ConfigError,
  passphraseIn,
} from "../settings/config.ts";
import { Secret } from "../settings/secret.ts";
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
export async function readKeystoreFiles({
  path,
  passphrase,
  passphraseFile,
}: KeystoreSetting): Promise<KeystoreFiles> {
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

/**
 * The key that the service starts with, and the files it came from; null for a key of the environment.
 * @throws AttestorError `invalid_key`; ConfigError for a missing key, or a development key in the live profile
 */
export async function openFirstKey(
  { attestor, profile }: Pick<Config, "attestor" | "profile">,
  domain: GuardDomain,
): Promise<{ signer: CertificateSigner; files: KeystoreFiles | null }> {
  if (attestor === null)
    throw new ConfigError(["the attestation key is missing: set ATTESTOR_KEYSTORE or ATTESTOR_PRIVATE_KEY"]);
  if (attestor.backend === "keystore") {
    const files = await readKeystoreFiles(attestor);
    return { signer: await openKeystore(files, domain, profile), files };
  }
  const signer = signerFromPrivateKey(attestor.privateKey.reveal(), domain);
  if (profile === "live") assertNotDevelopmentKey(signer.address);
  return { signer, files: null };
}
