/** Certificates per second of a key in SoftHSM2, through the process that holds it, against a key in this process. */

import { createLogger } from "../../api/metrics/logger.ts";
import { watchedSigner } from "../../api/signers/certificates.ts";
import { openTokenKey } from "../../api/signers/pkcs11/process.ts";
import { guardDomain } from "../../attestor/certificate/certificate.ts";
import { proofCertificate } from "../../attestor/certificate/keyProof.ts";
import { type CertificateSigner, signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { openSoftToken } from "../../test/support/softhsm.ts";
import { type Contestant, printRates, sideBySide } from "./measure.ts";

const ROUNDS = 9;
const A_ROUND = 96;
const AT_ONCE = 16;
const TIMEOUT_MS = 10_000;

export async function bench(): Promise<void> {
  const token = await openSoftToken({
    skip: () => {
      throw new Error("SoftHSM2 is not installed");
    },
  } as unknown as Mocha.Context);
  const { attestation, deployer } = localAccounts();
  const domain = guardDomain(31337, deployer.address);
  token.generate("secp256k1", "attestor");
  const key = await openTokenKey(token.setting("attestor"), "secp256k1", TIMEOUT_MS);
  const inToken = await watchedSigner(key, domain, createLogger({ level: "silent" }));
  const here = signerFromPrivateKey(attestation.privateKey, domain);
  try {
    printRates(
      "Certificates; those of SoftHSM2 are recovered before they leave",
      await sideBySide(
        [
          inTurn("SoftHSM2, one after the other", inToken),
          atOnce(`SoftHSM2, ${AT_ONCE} at once`, inToken),
          inTurn("keystore, one after the other", here),
        ],
        ROUNDS,
      ),
    );
  } finally {
    await inToken.stop();
    await token.remove();
  }
}

const inTurn = (name: string, signer: CertificateSigner): Contestant => ({
  name,
  async round() {
    for (let n = 1; n <= A_ROUND; n++) await signer.sign(proofCertificate(signer.address, n));
    return A_ROUND;
  },
});

const atOnce = (name: string, signer: CertificateSigner): Contestant => ({
  name,
  async round() {
    for (let from = 1; from <= A_ROUND; from += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => signer.sign(proofCertificate(signer.address, from + n))),
      );
    return A_ROUND;
  },
});
