import { inspect } from "node:util";
import { expect } from "chai";
import { encryptKeystoreJson, getBytes, hexlify, id, recoverAddress, Wallet } from "ethers";
import { signerFromKeystore } from "../../../api/attestation/keystore.ts";
import { authorize } from "../../../attestor/attest.ts";
import {
  domainSeparator,
  hashCertificate,
  typedDataDigest,
} from "../../../attestor/certificate/certificate.ts";
import {
  type CertificateDigest,
  isCertificateDigest,
  type KeyBackend,
  signerFromBackend,
  signerFromPrivateKey,
} from "../../../attestor/certificate/signer.ts";
import { digestSigner } from "../../../attestor/evm/signature.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { AttestorError } from "../../../attestor/values/attestorErrors.ts";
import { DOMAIN, NOW, PRIVATE_KEY, SIGNER, soundReport } from "../fixtures.ts";

const { certificate } = authorize(policyById("STRICT_LIVE"), soundReport(), {
  callDataHash: id("call data"),
  nonce: "1",
  deadline: NOW + 60,
});
const PASSPHRASE = "a passphrase of some length";

/** Light work for the tests; a real keystore takes a second to open. */
function keystoreOf(privateKey: string, passphrase: string): Promise<string> {
  const { address } = new Wallet(privateKey);
  return encryptKeystoreJson({ address, privateKey }, passphrase, { scrypt: { N: 2, r: 1, p: 1 } });
}

async function refusal(act: () => unknown): Promise<AttestorError> {
  try {
    await act();
  } catch (error) {
    expect(error).to.be.instanceOf(AttestorError);
    return error as AttestorError;
  }
  throw new Error("nothing was thrown");
}

describe("the certificate signer", () => {
  it("signs a certificate's digest under the guard's domain, in 65 bytes", async () => {
    const signature = await SIGNER.sign(certificate);
    expect(signature).to.match(/^0x[0-9a-f]{128}(1b|1c)$/);
    const digest = typedDataDigest(domainSeparator(DOMAIN), hashCertificate(certificate));
    expect(recoverAddress(digest, signature)).to.equal(SIGNER.address);
    expect(SIGNER.address).to.equal(new Wallet(PRIVATE_KEY).address);
  });

  it("signs a certificate alike every time", async () => {
    expect(await SIGNER.sign(certificate)).to.equal(await SIGNER.sign({ ...certificate }));
  });

  it("opens the same key from a keystore", async () => {
    const signer = await signerFromKeystore(await keystoreOf(PRIVATE_KEY, PASSPHRASE), PASSPHRASE, DOMAIN);
    expect(signer.address).to.equal(SIGNER.address);
    expect(await signer.sign(certificate)).to.equal(await SIGNER.sign(certificate));
  });

  it("refuses a wrong passphrase, and says neither of them", async () => {
    const keystore = await keystoreOf(PRIVATE_KEY, PASSPHRASE);
    for (const wrong of ["not that passphrase", "", ` ${PASSPHRASE}`]) {
      const error = await refusal(() => signerFromKeystore(keystore, wrong, DOMAIN));
      expect(error.code).to.equal("invalid_key");
      const shown = inspect(error, { depth: 9, showHidden: true });
      expect(shown).to.not.contain(PASSPHRASE);
      expect(shown).to.not.contain("not that passphrase");
    }
  });

  it("refuses a file that is no keystore", async () => {
    const whole = JSON.parse(await keystoreOf(PRIVATE_KEY, PASSPHRASE));
    const broken = [
      "",
      "{}",
      "null",
      "[]",
      "not JSON",
      PRIVATE_KEY,
      JSON.stringify({ ...whole, version: 2 }),
      JSON.stringify({ ...whole, Crypto: undefined, crypto: undefined }),
      JSON.stringify({ version: 3, crypto: { ciphertext: "00" } }),
    ];
    for (const text of broken) {
      const error = await refusal(() => signerFromKeystore(text, PASSPHRASE, DOMAIN));
      expect(error.code, text).to.equal("invalid_key");
      expect(inspect(error, { showHidden: true })).to.not.contain(PRIVATE_KEY);
    }
  });

  it("never repeats a bad key in an error", async () => {
    const bad = [
      "",
      "0x",
      PRIVATE_KEY.slice(0, -1),
      PRIVATE_KEY.slice(2),
      `${PRIVATE_KEY}00`,
      ` ${PRIVATE_KEY}`,
      `${PRIVATE_KEY}\n`,
      `0x${"00".repeat(32)}`,
      // The order of the curve, and past it.
      "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
      `0x${"ff".repeat(32)}`,
    ];
    for (const key of bad) {
      const error = await refusal(() => signerFromPrivateKey(key, DOMAIN));
      expect(error.code).to.equal("invalid_key");
      const shown = inspect(error, { depth: 9, showHidden: true });
      if (key.length > 8) expect(shown).to.not.contain(key.trim().slice(2, 20));
    }
  });

  it("shows no key, however it is looked at", async () => {
    const fromFile = await signerFromKeystore(await keystoreOf(PRIVATE_KEY, PASSPHRASE), PASSPHRASE, DOMAIN);
    for (const signer of [SIGNER, fromFile]) {
      const views = [
        JSON.stringify(signer),
        inspect(signer, { depth: 20, showHidden: true, getters: true }),
        inspect(Object.getOwnPropertyDescriptors(signer), { depth: 20, showHidden: true }),
        String(signer.sign),
        JSON.stringify(structuredClone({ ...signer, sign: undefined })),
      ];
      for (const view of views) expect(view.toLowerCase()).to.not.contain(PRIVATE_KEY.slice(2, 20));
      expect(Reflect.ownKeys(signer)).to.deep.equal(["address", "sign"]);
    }
  });

  it("lets nobody change a certificate signer", () => {
    expect(() => Object.assign(SIGNER, { address: "0x" })).to.throw(TypeError);
    expect(() => Object.assign(SIGNER, { sign: () => "0x" })).to.throw(TypeError);
  });

  it("signs certificates and nothing else", async () => {
    const others: unknown[] = [
      null,
      undefined,
      "0x1901",
      id("a digest"),
      {},
      { ...certificate, extra: "1" },
      { ...certificate, intentHash: undefined },
      // Members of other lengths would shift the preimage.
      { ...certificate, intentHash: "0x" },
      { ...certificate, intentHash: `${certificate.intentHash}00` },
      { ...certificate, expiresAt: (2n ** 64n).toString() },
      { ...certificate, expiresAt: "-1" },
      { ...certificate, expiresAt: 1 },
      { owner: SIGNER.address, amountIn: "1" },
    ];
    for (const other of others) {
      const error = await refusal(() => SIGNER.sign(other as typeof certificate));
      expect(error.code, inspect(other)).to.equal("invalid_certificate");
    }
  });

  /** A backend that holds a key here, and remembers what it was given. */
  function recordingBackend(meanwhile: () => void = () => {}) {
    const given: CertificateDigest[] = [];
    const backend: KeyBackend = {
      address: SIGNER.address,
      async sign(digest) {
        given.push(digest);
        meanwhile();
        return getBytes(digestSigner(PRIVATE_KEY).sign(hexlify(digest))).slice(0, 64);
      },
    };
    return { backend, given };
  }

  it("gives a backend digests of certificates alone, and leaves it the signature of the same key", async () => {
    const { backend, given } = recordingBackend();
    const signer = signerFromBackend(backend, DOMAIN);
    expect(await signer.sign(certificate)).to.equal(await SIGNER.sign(certificate));
    const error = await refusal(() => signer.sign(id("a digest") as never));
    expect(error.code).to.equal("invalid_certificate");
    expect(given).to.have.length(1);
    expect(isCertificateDigest(given[0]!)).to.equal(true);
    expect(isCertificateDigest(Uint8Array.from(given[0]!))).to.equal(false);
    // @ts-expect-error Bytes from elsewhere are no digest of a certificate.
    await backend.sign(new Uint8Array(32));
  });

  it("does not let a certificate leave that was changed while a backend signed it", async () => {
    const changing = { ...certificate };
    const { backend } = recordingBackend(() => {
      changing.expiresAt = String(Number(changing.expiresAt) + 3_600);
    });
    const error = await refusal(() => signerFromBackend(backend, DOMAIN).sign(changing));
    expect(error.code).to.equal("wrong_signature");
  });
});
