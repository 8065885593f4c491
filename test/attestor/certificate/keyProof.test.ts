import { expect } from "chai";
import { id, Wallet } from "ethers";
import { VerificationCertificate } from "../../../attestor/certificate/certificate.ts";
import {
  isProofSound,
  KeyProof,
  proofCertificate,
  proveKey,
} from "../../../attestor/certificate/keyProof.ts";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { DOMAIN, NOW, SIGNER } from "../fixtures.ts";

const { chainId, verifyingContract: guard } = DOMAIN;

describe("the proof of an attestation key", () => {
  it("the proof of an attestation key is sound for its chain, guard and key, and for no other", async () => {
    const proof = await proveKey(SIGNER, chainId, guard, NOW);
    expect(KeyProof.parse(JSON.parse(JSON.stringify(proof)))).to.deep.equal(proof);
    expect(isProofSound(proof, chainId, guard)).to.equal(true);
    expect(isProofSound(proof, chainId + 1, guard)).to.equal(false);
    expect(isProofSound({ ...proof, chainId: chainId + 1 }, chainId + 1, guard)).to.equal(false);
    const other = new Wallet(id("another")).address;
    expect(isProofSound(proof, chainId, other)).to.equal(false);
    expect(isProofSound({ ...proof, guard: other }, chainId, other)).to.equal(false);
    expect(isProofSound({ ...proof, signer: other }, chainId, guard)).to.equal(false);
    expect(isProofSound({ ...proof, provedAt: NOW + 1 }, chainId, guard)).to.equal(false);
    const foreign = await proveKey(signerFromPrivateKey(id("another"), DOMAIN), chainId, guard, NOW);
    expect(isProofSound({ ...proof, signature: foreign.signature }, chainId, guard)).to.equal(false);
    // A time that no calendar has cannot be shown.
    for (const provedAt of [0, 2 ** 53 - 1])
      expect(KeyProof.safeParse({ ...proof, provedAt }).success).to.equal(false);
    expect(isProofSound({ ...proof, signature: `0x${"00".repeat(65)}` }, chainId, guard)).to.equal(false);
  });

  it("the proof of an attestation key is a certificate whose window is empty at any time, for no trade and no report", () => {
    for (const provedAt of [1, NOW, 2 ** 33]) {
      const certificate = VerificationCertificate.parse(proofCertificate(SIGNER.address, provedAt));
      expect(BigInt(certificate.issuedAt) > BigInt(certificate.expiresAt)).to.equal(true);
      expect(certificate.expiresAt).to.equal("0");
      expect(certificate.reportVersion).to.equal("0");
    }
  });
});
