/** Whose log is read: what commands on a log take. */
import type { LogTrust } from "../../attestor/log/checkpoint.ts";
import { type GivenBy, list } from "../command.ts";
import { UsageError } from "../errors.ts";
import { vkey } from "../typed.ts";

export const LOG_OPTIONS = {
  logKey: list("VKEY", "the log's verifier key; take it from a source other than the log; required", vkey),
  witness: list(
    "VKEY",
    "require that this witness cosigned the tree, or an earlier one that it continues",
    vkey,
  ),
};

/** @throws UsageError */
export function trustFrom({ logKey: logs, witness: witnesses }: GivenBy<typeof LOG_OPTIONS>): LogTrust {
  if (logs.length === 0) throw new UsageError("log needs --log-key with the log's verifier key");
  return { logs, witnesses };
}
