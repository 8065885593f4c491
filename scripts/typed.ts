/** Guards and keys as they are typed on a command line. */
import { LogError } from "../attestor/log/logError.ts";
import { parseVkey, type VerifierKey } from "../attestor/log/note.ts";
import { guardNamed } from "../attestor/verify/reader.ts";
import type { GuardName } from "../attestor/verify/trust.ts";
import { UsageError } from "./errors.ts";

/** `56:0x…`. @throws UsageError for what is no chain id and address */
export function guardOf(text: string): GuardName {
  try {
    return guardNamed(text);
  } catch (error) {
    throw new UsageError(`--guard ${(error as Error).message}`);
  }
}

/** A verifier key. @throws UsageError */
export function vkeyOf(option: string, text: string): VerifierKey {
  try {
    return parseVkey(text);
  } catch (error) {
    throw new UsageError(
      `${option}: ${error instanceof LogError ? error.message : "this is not a verifier key"}`,
    );
  }
}
