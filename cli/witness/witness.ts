/**
 * A small witness (https://c2sp.org/tlog-witness). It cosigns a log's checkpoint that extends the last one it cosigned,
 * and stores that before it answers. Each witness makes it harder for a log to tell two stories.
 */
import { createHash } from "node:crypto";
import { concatBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { signing } from "../../api/log/key.ts";
import { keyForOrigin, parseCheckpoint, signersOf } from "../../attestor/log/checkpoint.ts";
import { HASH_LENGTH, HASHER } from "../../attestor/log/hasher.ts";
import { isConsistent } from "../../attestor/log/merkle.ts";
import {
  cosignedMessage,
  noteText,
  parseNote,
  timeBytes,
  type VerifierKey,
} from "../../attestor/log/note.ts";
import { fromBase64, sameBytes } from "../../attestor/values/bytes.ts";

const MAX_PROOF = 63;

/** By the logs' names, the last checkpoint that was cosigned. */
export const WitnessState = z.strictObject({
  schema: z.literal("assay.witness-state/1"),
  name: z.string(),
  /** 32 bytes in hexadecimal: the witness's private key. */
  seed: z.string().regex(/^[0-9a-f]{64}$/),
  logs: z.record(z.string(), z.string()),
});
export type WitnessState = z.infer<typeof WitnessState>;

export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly body: string;
  readonly type?: string;
}

const refused = (status: WitnessAnswer["status"], body: string): WitnessAnswer => ({
  status,
  body: `${body}\n`,
});

type Request = ReturnType<typeof parseRequest>;

/** @throws Error for anything but a request of the protocol */
function parseRequest(body: string) {
  const end = body.indexOf("\n\n");
  const [first = "", ...lines] = body.slice(0, Math.max(0, end)).split("\n");
  const old = /^old (0|[1-9][0-9]{0,15})$/.exec(first)?.[1];
  const proof = lines.map((line) => fromBase64(line));
  if (old === undefined || lines.length > MAX_PROOF || proof.some((hash) => hash?.length !== HASH_LENGTH))
    throw new Error("not a request of the protocol");
  const note = parseNote(body.slice(end + 2));
  return { oldSize: Number(old), proof: proof as Uint8Array[], note, checkpoint: parseCheckpoint(note.text) };
}

/**
 * @param logs keys of the logs that it watches
 * @param save resolves when the state would outlive a loss of power
 * @param now unix milliseconds
 */
export function createWitness(
  key: VerifierKey,
  first: WitnessState,
  logs: readonly VerifierKey[],
  save: (state: WitnessState) => Promise<void>,
  now: () => number,
) {
  let state = first;
  let turn: Promise<unknown> = Promise.resolve();
  const signed = signing(Buffer.from(first.seed, "hex"));

  /** What speaks against cosigning; null: nothing. */
  function objection({ oldSize, proof, note, checkpoint }: Request): WitnessAnswer | null {
    const keys = logs.map((log) => keyForOrigin(log, checkpoint.origin)).filter((log) => log !== null);
    if (keys.length === 0) return refused(404, "unknown log");
    try {
      if (signersOf(note, keys).length === 0) return refused(403, "not signed by the log");
    } catch {
      return refused(403, "the log's signature does not hold");
    }
    const { size, root } = checkpoint;
    if (oldSize > size) return refused(400, "the old size is larger than the checkpoint's");
    const stored = state.logs[checkpoint.origin];
    const last = stored === undefined ? null : parseCheckpoint(parseNote(stored).text);
    if (oldSize !== (last?.size ?? 0))
      return { status: 409, body: `${last?.size ?? 0}\n`, type: "text/x.tlog.size" };
    if (size === 0 && !sameBytes(root, HASHER.empty)) return refused(422, "not the root of an empty tree");
    const holds =
      last === null || last.size === 0
        ? proof.length === 0
        : isConsistent({ oldSize, oldRoot: last.root, size, root, proof });
    return holds ? null : refused(422, "it does not continue from the last checkpoint");
  }

  async function add(body: string): Promise<WitnessAnswer> {
    let request: Request;
    try {
      request = parseRequest(body);
    } catch {
      return refused(400, "not a request of the protocol");
    }
    const fault = objection(request);
    if (fault !== null) return fault;
    const { note, checkpoint } = request;
    const time = BigInt(Math.floor(now() / 1000));
    const signature = concatBytes(timeBytes(time), signed(cosignedMessage(note.text, time)));
    const line = { name: key.name, keyId: key.id, signature };
    const logLines = note.signatures.filter(({ name }) => name === checkpoint.origin);
    const next = {
      ...state,
      logs: {
        ...state.logs,
        [checkpoint.origin]: noteText({ text: note.text, signatures: [...logLines, line] }),
      },
    };
    await save(next);
    state = next;
    const [, own = ""] = noteText({ text: "", signatures: [line] }).split("\n", 2);
    return { status: 200, body: `${own}\n` };
  }

  return {
    // One after the other: between the look at the last checkpoint and its successor nothing comes.
    /** POST /add-checkpoint. */
    add(body: string) {
      const answer = turn.then(() => add(body));
      turn = answer.catch(() => {});
      return answer;
    },
    /** GET /<origin hash>/checkpoint. */
    last(originHash: string) {
      const origin = Object.keys(state.logs).find(
        (name) => createHash("sha256").update(name).digest("hex") === originHash,
      );
      const note = origin === undefined ? undefined : state.logs[origin];
      return note === undefined ? refused(404, "no such log") : { status: 200, body: note };
    },
  };
}
