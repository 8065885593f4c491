/** What the service says of itself to the pages that judge reports. They say that it is the service's own word. */
import type { Deployment } from "../../chain/deployment.ts";
import type { AttestationState } from "../attestation/keys.ts";
import type { LogAnswers } from "../log/answers.ts";

export interface ServiceWord {
  readonly chainId: number;
  readonly guard: string;
  readonly executor: string;
  /** Addresses of its attestation keys. */
  readonly signers: readonly string[];
  /** Verifier keys of its decision log. */
  readonly logKeys: readonly string[];
}

/** For `data-props` of an island. */
export function serviceProps(word: ServiceWord, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...more, service: word });
}

export interface ServiceWordDeps {
  readonly deployment: Pick<Deployment, "guard" | "executor" | "registry">;
  readonly attestation: () => AttestationState;
  readonly logAnswers: Pick<LogAnswers, "vkey">;
}

/** As it is now. @throws DatabaseUnavailable */
export async function serviceWord({
  deployment,
  attestation,
  logAnswers,
}: ServiceWordDeps): Promise<ServiceWord> {
  const { guard, executor, registry } = deployment;
  const logKey = await logAnswers.vkey(undefined);
  return {
    chainId: registry.chainId,
    guard,
    executor,
    signers: [attestation().signer],
    logKeys: logKey === null ? [] : [logKey.trim()],
  };
}
