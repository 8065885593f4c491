/** The attestation key from an encrypted keystore file. */
import { isKeystoreJson, Wallet } from "ethers";
import type { GuardDomain } from "../../attestor/certificate/certificate.ts";
import { type CertificateSigner, signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";

/**
 * Backend for live use: an encrypted keystore (Web3 Secret Storage, version 3).
 * @param keystore content of the keystore file
 * @param passphrase its passphrase
 * @throws AttestorError `invalid_key` for another file or a wrong passphrase
 */
export async function signerFromKeystore(
  keystore: string,
  passphrase: string,
  domain: GuardDomain,
): Promise<CertificateSigner> {
  if (!isKeystoreJson(keystore))
    throw new AttestorError("invalid_key", "the file is not a version 3 keystore");
  // A log's key says what it is, and is never an attestation key.
  if (JSON.parse(keystore).kind !== undefined)
    throw new AttestorError("invalid_key", "the keystore holds a different kind of key");
  let privateKey: string;
  try {
    ({ privateKey } = await Wallet.fromEncryptedJson(keystore, passphrase));
  } catch {
    throw new AttestorError("invalid_key", "the passphrase does not open the keystore");
  }
  return signerFromPrivateKey(privateKey, domain);
}
