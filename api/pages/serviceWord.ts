/** What the service says of itself to the pages that judge reports. They say that it is the service's own word. */
import type { Deployment } from "../../chain/deployment.ts";
import type { AttestationState } from "../attestation/keys.ts";
import type { LogAnswers } from "../log/serve.ts";

export interface ServiceWordDeps {
  readonly deployment: Pick<Deployment, "guard" | "registry">;
  readonly attestation: () => AttestationState;
  readonly logAnswers: Pick<LogAnswers, "vkey">;
}

export type ServiceWord = Awaited<ReturnType<typeof serviceWord>>;

/** As it is now. @throws DatabaseUnavailable */
export async function serviceWord({ deployment, attestation, logAnswers }: ServiceWordDeps) {
  const { guard, registry } = deployment;
  const logKey = await logAnswers.vkey();
  return {
    chainId: registry.chainId,
    guard,
    /** Addresses of its attestation keys. */
    signers: [attestation().signer],
    /** Verifier keys of its decision log. */
    logKeys: logKey === null ? [] : [logKey.trim()],
  };
}
