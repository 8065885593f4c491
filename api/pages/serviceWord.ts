/** What the service says of itself to the pages that judge reports. They say that it is the service's own word. */

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
