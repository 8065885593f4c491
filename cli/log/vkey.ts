/** A verifier key as it is typed. */
import { LogError } from "../../attestor/log/logError.ts";
import { parseVkey, type VerifierKey } from "../../attestor/log/note.ts";
import { UsageError } from "../console.ts";

/** @throws UsageError */
export function vkeyOf(option: string, text: string): VerifierKey {
  try {
    return parseVkey(text);
  } catch (error) {
    throw new UsageError(
      `${option}: ${error instanceof LogError ? error.message : "this is not a verifier key"}`,
    );
  }
}
