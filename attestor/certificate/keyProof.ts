/**
 * Proves possession of an attestation key before a guard is set to trust its address. A mistyped address, or one
 * whose key is lost, would stop every trade.
 *
 * An attestation key signs nothing but certificates, so the proof is a certificate that no guard can ever accept. It
 * is signed under the guard's own domain, which names chain and guard. It is valid from the time it was made until
 * second 0, so its window is empty at every block time. Its intent hash is that of a text and not of a trade intent,
 * and no report has version 0. A leaked proof shows only that somebody held the key.
 */
import * as z from "zod";
import { checksumAddress } from "../evm/address.ts";
import { id } from "../evm/hash.ts";
import { recoverAddress } from "../evm/signature.ts";
import { addressWord } from "../evm/words.ts";
import { orElse } from "../values/orElse.ts";
import { Address, LAST_SECOND } from "../values/primitives.ts";
import {
  domainSeparator,
  guardDomain,
  hashCertificate,
  typedDataDigest,
  type VerificationCertificate,
} from "./certificate.ts";
import type { CertificateSigner } from "./signer.ts";

const SCHEMA = "assay.key-proof/1";
const MARK = id(SCHEMA);

export const KeyProof = z.strictObject({
  schema: z.literal(SCHEMA),
  chainId: z.int().min(1),
  guard: Address,
  /** The address whose key is held. */
  signer: Address,
  /** Unix seconds, by the clock of who made it. */
  provedAt: z.int().min(1).max(LAST_SECOND),
  signature: z.string().regex(/^0x[0-9a-f]{130}$/, "must be 65 bytes in lower-case hexadecimal"),
});
export type KeyProof = z.infer<typeof KeyProof>;

/** The certificate that is signed as a proof: never valid, and about no trade. */
export function proofCertificate(signer: string, provedAt: number): VerificationCertificate {
  return {
    intentHash: MARK,
    evidenceHash: addressWord(signer),
    jobId: MARK,
    reportVersion: "0",
    issuedAt: String(provedAt),
    expiresAt: "0",
  };
}

/**
 * @param signer opened for the domain of this guard
 * @param provedAt unix seconds
 */
export async function proveKey(
  signer: CertificateSigner,
  chainId: number,
  guard: string,
  provedAt: number,
): Promise<KeyProof> {
  return {
    schema: SCHEMA,
    chainId,
    guard: checksumAddress(guard),
    signer: signer.address,
    provedAt,
    signature: await signer.sign(proofCertificate(signer.address, provedAt)),
  };
}

/** Whether the key of `proof.signer` made the proof, for this chain and guard. */
export function isProofSound(proof: KeyProof, chainId: number, guard: string): boolean {
  if (proof.chainId !== chainId || proof.guard !== checksumAddress(guard)) return false;
  const separator = domainSeparator(guardDomain(chainId, proof.guard));
  const digest = typedDataDigest(separator, hashCertificate(proofCertificate(proof.signer, proof.provedAt)));
  return orElse(() => recoverAddress(digest, proof.signature) === proof.signer, false);
}
