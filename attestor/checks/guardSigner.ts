import { type Check, judged } from "./finding.ts";

/** The guard would accept this service's certificate. */
export const guardSigner: Check = (_policy, { guard }) =>
  judged(
    "guard-signer",
    guard.signer === guard.attestor,
    guard.signer,
    guard.attestor,
    `The guard's signer is ${guard.signer}; this service signs as ${guard.attestor}.`,
  );
