/**
 * Holds the checkpoint of a proof against the tree that the log's service serves to everybody. A tree that was made for one
 * reader is signed by the right key, and is not part of that one.
 */
import { sameBytes } from "../values/bytes.ts";
import { type Checkpoint, type LogTrust, type OpenedCheckpoint, openCheckpoint } from "./checkpoint.ts";
import { LogError } from "./logError.ts";
import { rootsOf } from "./merkle.ts";
import { consistencyProof } from "./proving.ts";
import { nodesFromTiles, tileName } from "./tiles.ts";

/** A file of a log, by its path behind the log's URL. @throws Error in words */
export type FetchFile = (path: string) => Promise<Uint8Array>;

/** What came of it, for one proof. */
export interface ServedTree {
  /** The checkpoint of the proof that was asked about. */
  readonly note: string;
  /** `wrong`: the log signed two trees that contradict each other. `unknown`: the service did not tell. */
  readonly outcome: "ok" | "wrong" | "unknown";
  /** The end of a sentence that begins with the place of the entry. */
  readonly detail: string;
  /** Witnesses that cosigned a tree which continues the proof's. */
  readonly witnesses: readonly string[];
}

export interface LogSource {
  readonly file: FetchFile;
  /** Resolves when a checkpoint that was in a cache is no longer served. */
  pause(): Promise<void>;
}

/**
 * Asks the service which tree it serves. Never throws.
 * @param note the proof's checkpoint
 * @returns null for a checkpoint that none of the known keys signed: there is nothing to compare then
 */
export async function askServed(
  note: string,
  trust: LogTrust,
  source: LogSource,
): Promise<ServedTree | null> {
  let proved: OpenedCheckpoint;
  try {
    proved = openCheckpoint(note, trust);
  } catch {
    return null;
  }
  try {
    return { note, ...(await compared(proved, trust, source)) };
  } catch (error) {
    const detail = `but whether the service serves that tree is not known: ${(error as Error).message}`;
    return { note, outcome: "unknown", detail, witnesses: [] };
  }
}

async function compared(proved: Checkpoint, trust: LogTrust, source: LogSource) {
  const { origin, size } = proved;
  const { file } = source;
  const read = async (name: string) => {
    const checkpoint = openCheckpoint(new TextDecoder().decode(await file(name)), trust);
    if (checkpoint.origin !== origin)
      throw new LogError(`the service serves the log ${checkpoint.origin} in its place`);
    return checkpoint;
  };
  const wrong = (detail: string) => ({ outcome: "wrong" as const, detail, witnesses: [] });
  let served = await read("checkpoint");
  if (served.size < size) {
    await source.pause();
    served = await read("checkpoint");
  }
  if (served.size < size) return wrong(`and the service serves a tree of ${served.size} entries`);
  if (!(await isPart(proved, served, file)))
    return wrong(`and its tree is no part of the one of ${served.size} entries that the service serves`);
  const named = (trust.witnesses ?? []).length > 0;
  const cosigned = named ? await read("cosigned").catch(() => null) : null;
  if (cosigned !== null) {
    const [older, newer] = cosigned.size < served.size ? [cosigned, served] : [served, cosigned];
    if (!(await isPart(older, newer, file)))
      return wrong(`and the tree of ${cosigned.size} entries that it serves as cosigned is another`);
  }
  return {
    outcome: "ok" as const,
    detail: `and its tree is part of the one of ${served.size} entries that the service serves`,
    witnesses: cosigned !== null && cosigned.size >= size ? cosigned.witnesses : [],
  };
}

/** @throws LogError where the tiles are not those of the newer tree: they are signed by nobody */
async function isPart(older: Checkpoint, newer: Checkpoint, file: FetchFile): Promise<boolean> {
  if (older.size === newer.size) return sameBytes(older.root, newer.root);
  if (older.size === 0) return true;
  const nodes = nodesFromTiles(newer.size, (tile) => file(`tile/${tile.level}/${tileName(tile)}`));
  const proof = await consistencyProof(older.size, newer.size, nodes, { isOldRootKnown: false });
  const roots = rootsOf(older.size, newer.size, proof);
  if (roots === null || !sameBytes(roots.now, newer.root))
    throw new LogError("the service's tiles do not hash to the checkpoint that it serves");
  return sameBytes(roots.before, older.root);
}
