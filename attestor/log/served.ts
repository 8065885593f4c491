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
  /** Entries of the served tree; null where the service did not tell. */
  readonly size: number | null;
  /**
   * `log_contradicts`: the log signed two trees, and the served one is `smaller`, does not contain the proof's (`apart`),
   * or contradicts the one that it serves as `cosigned`. `log_not_served`: the service did not tell, for the `reason`.
   * null: the proof's tree is part of the served one.
   */
  readonly fault:
    | {
        readonly code: "log_contradicts";
        readonly params: { readonly how: Contradiction; readonly size: number };
      }
    | { readonly code: "log_not_served"; readonly params: { readonly reason: string } }
    | null;
  /** Witnesses that cosigned a tree which continues the proof's. */
  readonly witnesses: readonly string[];
}
type Contradiction = "smaller" | "apart" | "cosigned";

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
    return await compared(proved, trust, source);
  } catch (error) {
    const params = { reason: (error as Error).message };
    return { note, size: null, fault: { code: "log_not_served", params }, witnesses: [] };
  }
}

async function compared(proved: OpenedCheckpoint, trust: LogTrust, source: LogSource): Promise<ServedTree> {
  const { note, origin, size } = proved;
  const { file } = source;
  const read = async (name: string) => {
    const checkpoint = openCheckpoint(new TextDecoder().decode(await file(name)), trust);
    if (checkpoint.origin !== origin)
      throw new LogError(`the service serves the log ${checkpoint.origin} in its place`);
    return checkpoint;
  };
  let served = await read("checkpoint");
  if (served.size < size) {
    await source.pause();
    served = await read("checkpoint");
  }
  const contradicts = (how: Contradiction, other: Checkpoint): ServedTree => ({
    note,
    size: served.size,
    fault: { code: "log_contradicts", params: { how, size: other.size } },
    witnesses: [],
  });
  if (served.size < size) return contradicts("smaller", served);
  if (!(await isPart(proved, served, file))) return contradicts("apart", served);
  const isWitnessed = (trust.witnesses ?? []).length > 0;
  const cosigned = isWitnessed ? await read("cosigned").catch(() => null) : null;
  if (cosigned !== null) {
    const [older, newer] = cosigned.size < served.size ? [cosigned, served] : [served, cosigned];
    if (!(await isPart(older, newer, file))) return contradicts("cosigned", cosigned);
  }
  const witnesses = cosigned !== null && cosigned.size >= size ? cosigned.witnesses : [];
  return { note, size: served.size, fault: null, witnesses };
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
