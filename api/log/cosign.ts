/** Asks the witnesses for their signatures under a checkpoint, and keeps those that come. */
import { noteText, parseNote } from "../../attestor/log/note.ts";
import { type Fence, whileHeld } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import type { WitnessSetting } from "../settings/logSettings.ts";
import type { TreeReader } from "./nodes.ts";
import type { Shard } from "./shards.ts";
import type { Witnesses } from "./witnesses.ts";

export interface CosignDeps {
  readonly db: Database;
  /** Of the lease under which this process signs. */
  readonly fence: Fence;
  readonly tree: TreeReader;
  readonly witnesses: Witnesses;
  readonly asked: readonly WitnessSetting[];
  readonly log: Logger;
}

/** @param note the log's signed checkpoint */
export async function cosign(deps: CosignDeps, shard: Shard, note: string): Promise<void> {
  const nodes = deps.tree.nodes(shard.id, shard.signed_size);
  const signatures = await Promise.all(
    deps.asked.map((witness) =>
      deps.witnesses.cosign(witness, note, nodes).catch((error: Error) => {
        deps.log.warn({ witness: witness.key.name, fault: error.message }, "a witness did not cosign");
        return null;
      }),
    ),
  );
  const cosignatures = signatures.filter((line) => line !== null);
  if (cosignatures.length === 0) return;
  const signed = parseNote(note);
  const cosigned = noteText({ ...signed, signatures: [...signed.signatures, ...cosignatures] });
  await deps.db
    .updateTable("log_shards")
    .set({ cosigned, cosigned_size: shard.signed_size })
    .where("id", "=", shard.id)
    .where("cosigned_size", "<=", shard.signed_size)
    .where(whileHeld(deps.fence))
    .execute();
}

/** A cosigned checkpoint of the same size may be an older key's, or lack its log's newest signature. */
export function needsCosignature({ checkpoint, cosigned, cosigned_size, signed_size }: Shard): boolean {
  if (checkpoint === null) return false;
  if (cosigned === null || cosigned_size < signed_size) return true;
  return !cosigned.startsWith(checkpoint.slice(0, checkpoint.length - 1));
}
