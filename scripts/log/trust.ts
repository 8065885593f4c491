/** Whose log is read: what commands on a log take. */
import type { LogTrust } from "../../attestor/log/checkpoint.ts";
import { LogError } from "../../attestor/log/logError.ts";
import { list } from "../command.ts";
import { PlainError, UsageError } from "../errors.ts";
import { vkeyOf } from "../typed.ts";

export const LOG_OPTIONS = {
  logKey: list("VKEY", "the log's verifier key; take it from a source other than the log; required"),
  witness: list("VKEY", "require that this witness cosigned the tree, or an earlier one that it continues"),
};

/** @throws UsageError */
export function trustFrom(given: {
  readonly logKey: readonly string[];
  readonly witness: readonly string[];
}): LogTrust {
  const logs = given.logKey.map((typed) => vkeyOf("--log-key", typed));
  const witnesses = given.witness.map((typed) => vkeyOf("--witness", typed));
  if (logs.length === 0) throw new UsageError("log needs --log-key with the log's verifier key");
  return { logs, witnesses };
}

/** @throws PlainError for what is no log, or is not signed by a known key */
export async function asPlain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LogError) throw new PlainError(error.message);
    throw error;
  }
}
