/**
 * Selects the key that signs a certificate while keys change.
 *
 * A next key can wait from the start on. Until the guard names it, the present key stays beside it, so that every
 * certificate is accepted: a judgement uses the key that the guard names at its block. Once a block names the new key, the
 * guard refuses the old one, which is dropped. If the guard names neither, the newest key is used, and the finding
 * `guard-signer` denies.
 */
import type { CertificateSigner } from "../../attestor/certificate/signer.ts";
import { UpstreamUnavailable } from "../../chain/chainErrors.ts";

export interface AttestationState {
  /** Address of the key that signs at the moment. */
  readonly signer: string;
  /** Address of a key that signs as soon as the guard names it. */
  readonly waiting: string | null;
  /** Why the key that signs, kept elsewhere, did not sign when it was asked last; null: it did, or is in this process. */
  readonly fault: string | null;
}

export type AttestationKeys = ReturnType<typeof createAttestationKeys>;

/** @param onChange told when the guard made the waiting key the signing one */
export function createAttestationKeys(
  first: CertificateSigner,
  onChange: (signer: string, before: string) => void = () => {},
) {
  let active = first;
  let next: CertificateSigner | null = null;
  return {
    /** Address of the key that signs for a guard that names `guardSigner`. */
    addressFor(guardSigner: string) {
      if (next !== null && guardSigner === next.address) {
        const before = active.address;
        active = next;
        next = null;
        onChange(active.address, before);
      }
      return guardSigner === active.address ? active.address : (next ?? active).address;
    },
    /** @throws UpstreamUnavailable when the key was replaced since its address was asked for */
    signerOf(address: string) {
      const signer = [active, next].find((candidate) => candidate?.address === address);
      if (signer == null)
        throw new UpstreamUnavailable("The attestation key was replaced during the request; try again.");
      return signer;
    },
    /** @throws SignerUnavailable while it is known that the key cannot sign, before anybody works in vain */
    assertSigning: () => active.assertAvailable?.(),
    current: () => active.address,
    waiting: () => next?.address ?? null,
    /** A key that waits for the guard to name it. */
    offer(signer: CertificateSigner) {
      next = signer.address === active.address ? null : signer;
    },
  };
}
