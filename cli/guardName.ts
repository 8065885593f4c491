/** How a guard is named on a command line: `56:0x…`. */
import type { GuardName } from "../attestor/verify/issuer.ts";
import { guardNamed } from "../attestor/verify/reader.ts";
import { UsageError } from "./console.ts";

/** @throws UsageError for what is no chain id and address */
export function guardOf(text: string): GuardName {
  try {
    return guardNamed(text);
  } catch (error) {
    throw new UsageError(`--guard ${(error as Error).message}`);
  }
}
