/** Why a key that is kept elsewhere did not sign. */
import { AttestorError } from "../../attestor/values/attestorErrors.ts";

export type FaultKind =
  | "unusable" // the key is not what the settings say
  | "refused" // the backend said no
  | "slow" // no answer in time
  | "wrong"; // an answer that is none, or of another key

/** Its message is for operators: our own words, and the names that the backend's protocol has for errors. */
export class BackendFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BackendFault";
    this.kind = kind;
  }
}

export const tooSlow = (timeoutMs: number): BackendFault =>
  new BackendFault("slow", `it did not answer within ${timeoutMs} ms`);

/** What operators read of a failure. Of an error that is not ours only the name: its text could hold anything. */
export function faultText(error: unknown): string {
  if (error instanceof BackendFault || error instanceof AttestorError) return error.message;
  return `it failed (${error instanceof Error ? error.name : "unknown"})`;
}

/** Whether the backend gave something that must never leave: more than being away. */
export function isWrongAnswer(error: unknown): boolean {
  return error instanceof BackendFault
    ? error.kind === "wrong"
    : error instanceof AttestorError && error.code === "wrong_signature";
}
