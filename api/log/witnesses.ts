/**
 * Asking witnesses (https://c2sp.org/tlog-witness): others who sign only what goes on from what they signed before, so
 * that the log cannot tell two stories. The log works without them.
 */
import { createHash } from "node:crypto";
import { parseCheckpoint, signersOf } from "../../attestor/log/checkpoint.ts";
import { holds, isBy, noteText, parseNote, parseSignatures } from "../../attestor/log/note.ts";
import { consistencyProof, type ReadNodes } from "../../attestor/log/proving.ts";
import { toBase64 } from "../../attestor/values/bytes.ts";
import { type Fence, whileHeld } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import type { WitnessSetting } from "../settings/logSettings.ts";
import type { LogTree } from "./entries.ts";
import { FAST_HASHER } from "./hasher.ts";
import type { TreeReader } from "./tiles.ts";

const TIMEOUT_MS = 2_000;
const LONGEST_ANSWER = 65_536;

export type Witnesses = ReturnType<typeof createWitnesses>;

export function createWitnesses(fetchFrom: typeof fetch) {
  /** How far each has seen each log, by what it said last. */
  const seen = new Map<string, number>();

  async function add(witness: WitnessSetting, note: string, nodes: ReadNodes, oldSize: number) {
    const { size } = parseCheckpoint(parseNote(note).text);
    const proof = oldSize === 0 ? [] : await consistencyProof(oldSize, size, nodes, { hasher: FAST_HASHER });
    const body = [`old ${oldSize}`, ...proof.map(toBase64), "", note].join("\n");
    return await fetchFrom(`${witness.url}/add-checkpoint`, {
      method: "POST",
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  }

  return {
    /** What a witness saw of a log; null where it saw nothing or does not answer. */
    async lastOf({ key, url }: WitnessSetting, origin: string) {
      const name = createHash("sha256").update(origin).digest("hex");
      const answer = await fetchFrom(`${url}/${name}/checkpoint`, {
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (answer.status === 404) return null;
      if (answer.status !== 200) throw new Error(`it answered ${answer.status}`);
      const note = parseNote(await shortText(answer));
      const checkpoint = parseCheckpoint(note.text);
      if (checkpoint.origin !== origin || signersOf(note, [key]).length === 0)
        throw new Error("what it answered is not its word on this log");
      return checkpoint;
    },

    /**
     * The witness's signature under a checkpoint.
     * @param nodes of the checkpoint's tree, for the proof that it goes on from what the witness saw
     * @throws Error in words for the log, where there is none
     */
    async cosign(witness: WitnessSetting, note: string, nodes: ReadNodes) {
      const { text } = parseNote(note);
      const { origin, size } = parseCheckpoint(text);
      const name = `${witness.key.name} ${origin}`;
      let answer = await add(witness, note, nodes, Math.min(seen.get(name) ?? 0, size));
      if (answer.status === 409) {
        const witnessSize = Number(
          /^(0|[1-9][0-9]{0,15})\n$/.exec(await shortText(answer))?.[1] ?? Number.NaN,
        );
        if (!Number.isSafeInteger(witnessSize)) throw new Error("it answered 409 without a size");
        if (witnessSize > size)
          throw new Error(`it has seen ${witnessSize} entries, more than the log's ${size}`);
        answer = await add(witness, note, nodes, witnessSize);
      }
      if (answer.status !== 200) throw new Error(`it answered ${answer.status}`);
      const lines = parseSignatures(await shortText(answer));
      const signature = lines.find((line) => isBy(witness.key, line) && holds(witness.key, text, line));
      if (signature === undefined) throw new Error("its signature does not hold");
      seen.set(name, size);
      return signature;
    },
  };
}

async function shortText(answer: Response): Promise<string> {
  const text = await answer.text();
  if (text.length > LONGEST_ANSWER) throw new Error("its answer is too long");
  return text;
}

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
export async function cosign(
  deps: CosignDeps,
  { origin, signed_size }: LogTree,
  note: string,
): Promise<void> {
  const nodes = deps.tree.nodes(signed_size);
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
    .updateTable("log_tree")
    .set({ cosigned, cosigned_size: signed_size })
    .where("origin", "=", origin)
    .where("cosigned_size", "<=", signed_size)
    .where(whileHeld(deps.fence))
    .execute();
}

/** A cosigned checkpoint of the same size may be an older key's, or lack its log's newest signature. */
export function needsCosignature({ checkpoint, cosigned, cosigned_size, signed_size }: LogTree): boolean {
  if (checkpoint === null) return false;
  if (cosigned === null || cosigned_size < signed_size) return true;
  return !cosigned.startsWith(checkpoint.slice(0, checkpoint.length - 1));
}
