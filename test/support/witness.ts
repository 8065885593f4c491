/** A witness in the tests' own process, which speaks c2sp.org/tlog-witness: it cosigns what goes on from what it cosigned. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { concatBytes } from "@noble/hashes/utils.js";
import { publicKeyOf, signing } from "../../api/log/key.ts";
import { parseCheckpoint, signersOf } from "../../attestor/log/checkpoint.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { isConsistent } from "../../attestor/log/merkle.ts";
import {
  cosignedMessage,
  noteText,
  parseNote,
  timeBytes,
  type VerifierKey,
  verifierKey,
  vkeyText,
} from "../../attestor/log/note.ts";
import { fromBase64 } from "../../attestor/values/bytes.ts";
import { listening } from "./ports.ts";

const SEED = new Uint8Array(32).fill(7);
const NAME = "witness.example/w1";

type Answer = readonly [status: number, body: string];

/** @param logs keys of the logs that it watches */
export async function startWitness(logs: readonly VerifierKey[]) {
  const key = verifierKey(NAME, 4, publicKeyOf(SEED));
  const sign = signing(SEED);
  /** By the logs' names, what was cosigned last. */
  const seen = new Map<string, string>();

  function add(body: string): Answer {
    const end = body.indexOf("\n\n");
    const [old = "", ...lines] = body.slice(0, end).split("\n");
    const oldSize = Number(/^old ([0-9]+)$/.exec(old)?.[1]);
    const proof = lines.map((line) => fromBase64(line)!);
    const note = parseNote(body.slice(end + 2));
    const { origin, size, root } = parseCheckpoint(note.text);
    const keys = logs.filter(({ name }) => name === origin);
    if (keys.length === 0) return [404, "unknown log\n"];
    if (signersOf(note, keys).length === 0) return [403, "not signed by the log\n"];
    const stored = seen.get(origin);
    const last = stored === undefined ? null : parseCheckpoint(parseNote(stored).text);
    if (oldSize !== (last?.size ?? 0)) return [409, `${last?.size ?? 0}\n`];
    const holds =
      oldSize === 0
        ? proof.length === 0
        : isConsistent({ oldSize, oldRoot: last!.root, size, root, proof }, HASHER);
    if (!holds) return [422, "it does not continue from the last checkpoint\n"];
    const time = BigInt(Math.floor(Date.now() / 1000));
    const signature = concatBytes(timeBytes(time), sign(cosignedMessage(note.text, time)));
    const line = { name: key.name, keyId: key.id, signature };
    const own = note.signatures.filter(({ name }) => name === origin);
    seen.set(origin, noteText({ text: note.text, signatures: [...own, line] }));
    return [200, `${noteText({ text: "", signatures: [line] }).split("\n", 2)[1]}\n`];
  }

  function lastOf(originHash: string | undefined): Answer {
    for (const [origin, note] of seen)
      if (createHash("sha256").update(origin).digest("hex") === originHash) return [200, note];
    return [404, "no such log\n"];
  }

  const server = createServer(async (request, response) => {
    const [status, body] =
      request.method === "POST"
        ? add(await text(request))
        : lastOf(/^\/([0-9a-f]{64})\/checkpoint$/.exec(request.url ?? "")?.[1]);
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
    response.end(body);
  });
  return { key, vkey: vkeyText(key), ...(await listening(server)) };
}
