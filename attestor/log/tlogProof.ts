/** Proofs that stand alone (https://c2sp.org/tlog-proof): index, path and checkpoint in one text. */
import { fromBase64, toBase64 } from "../values/bytes.ts";
import { HASH_LENGTH } from "./hasher.ts";
import { LogError } from "./logError.ts";

const FORMAT = "c2sp.org/tlog-proof@v1";
const MAX_PATH = 63;

export interface TlogProof {
  readonly index: number;
  readonly path: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

export function tlogProofText({ index, path, checkpoint }: TlogProof): string {
  return [FORMAT, `index ${index}`, ...path.map(toBase64), "", checkpoint].join("\n");
}

/** Reads a proof; what its `extra` line says, if it has one, counts for nothing. @throws LogError */
export function parseTlogProof(text: string): TlogProof {
  const end = text.indexOf("\n\n");
  const lines = text.slice(0, Math.max(0, end)).split("\n");
  if (lines[0] !== FORMAT) throw new LogError(`this is no proof of the form ${FORMAT}`);
  const [indexLine = "", ...hashes] = lines[1]?.startsWith("extra ") ? lines.slice(2) : lines.slice(1);
  const index = /^index (0|[1-9][0-9]{0,15})$/.exec(indexLine)?.[1];
  if (index === undefined || !Number.isSafeInteger(Number(index)))
    throw new LogError("the proof has no index");
  if (hashes.length > MAX_PATH) throw new LogError("the proof's path is too long");
  const path = hashes.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_LENGTH) throw new LogError("a line of the proof is no hash");
    return hash;
  });
  return { index: Number(index), path, checkpoint: text.slice(end + 2) };
}
