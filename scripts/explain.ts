/** Errors of other rooms and of libraries in words that carry no address, key or password. */
import { KeyError } from "../api/keys/keys.ts";
import { ConfigError } from "../api/settings/config.ts";
import { NoGuard, UpstreamUnavailable } from "../chain/chainErrors.ts";
import { isDatabaseUnavailable, UnusableDatabase } from "../database/errors.ts";
import { unforeseenWords, wordsFor } from "./admin/rpcErrors.ts";
import { EXIT } from "./errors.ts";
import type { Explain } from "./program.ts";

export const explain: Explain = async (error) => {
  if (error instanceof ConfigError || error instanceof UnusableDatabase)
    return { line: error.message, exit: EXIT.unusable };
  // The cause may name the database, and with it a password.
  if (isDatabaseUnavailable(error)) return { line: "the database cannot be reached", exit: EXIT.unusable };
  if (error instanceof UpstreamUnavailable) return { line: error.message, exit: EXIT.unusable };
  if (error instanceof NoGuard || error instanceof KeyError)
    return { line: error.message, exit: EXIT.failed };
  if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")
    return { line: "a package is not installed here: run npm run setup first", exit: EXIT.unusable };
  const line = wordsFor(error) ?? unforeseenWords(error);
  return line === null ? null : { line, exit: EXIT.failed };
};
