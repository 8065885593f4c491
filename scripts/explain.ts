/** Errors of other rooms and of libraries in words that carry no address, key or password. */
import { KeyError } from "../api/keys/keys.ts";
import { ConfigError } from "../api/settings/config.ts";
import { BackendFault } from "../api/signers/backend.ts";
import { LogError } from "../attestor/log/logError.ts";
import { AttestorError } from "../attestor/values/attestorErrors.ts";
import { NoGuard, UpstreamUnavailable } from "../chain/chainErrors.ts";
import { isDatabaseUnavailable, UnusableDatabase } from "../database/errors.ts";
import { RepairError } from "../market/collect/repair.ts";
import { unforeseenWords, wordsFor } from "./admin/rpcErrors.ts";
import { EXIT } from "./errors.ts";
import type { Explain } from "./program.ts";

/** Something outside cannot be used, and the message says why. */
const UNUSABLE = [ConfigError, UnusableDatabase, UpstreamUnavailable, LogError, BackendFault, AttestorError];
/** What was asked for is refused. */
const REFUSED = [NoGuard, KeyError, RepairError];

export const explain: Explain = async (error) => {
  for (const kind of UNUSABLE) if (error instanceof kind) return { line: error.message, exit: EXIT.unusable };
  for (const kind of REFUSED) if (error instanceof kind) return { line: error.message, exit: EXIT.failed };
  // The cause may name the database, and with it a password.
  if (isDatabaseUnavailable(error)) return { line: "the database cannot be reached", exit: EXIT.unusable };
  if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
    return { line: "a package is not installed here: run npm run setup first", exit: EXIT.unusable };
  const line = wordsFor(error) ?? unforeseenWords(error);
  return line === null ? null : { line, exit: EXIT.failed };
};
