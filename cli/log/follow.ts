/**
 * Follows a log as a stranger does, with nothing but its verifier key: every entry is hashed again, and the tree must go
 * on from the one that was seen last.
 */
import { z } from "zod";
import { type LogTrust, type OpenedCheckpoint, openCheckpoint } from "../../attestor/log/checkpoint.ts";
import { LogEntry } from "../../attestor/log/entry.ts";
import { Frontier } from "../../attestor/log/frontier.ts";
import { HASHER } from "../../attestor/log/hasher.ts";
import { LogError } from "../../attestor/log/logError.ts";
import { entriesOf, TILE_WIDTH, tileIn, tileName } from "../../attestor/log/tiles.ts";
import { fromBase64, sameBytes, toBase64 } from "../../attestor/values/bytes.ts";

/** What was seen of a log: its last checkpoint, and the tree's right edge at it. */
export const Seen = z.strictObject({
  size: z.int().min(0),
  hashes: z.array(z.string()),
  checkpoint: z.string(),
});
export type Seen = z.infer<typeof Seen>;

/** By the logs' names. */
export const FollowState = z.strictObject({
  schema: z.literal("assay.log-state/1"),
  logs: z.record(z.string(), Seen),
});
export type FollowState = z.infer<typeof FollowState>;

export const NOTHING_SEEN: FollowState = { schema: "assay.log-state/1", logs: {} };

/** The log contradicts what it signed. The checkpoints are the proof of it. */
export class LogLied extends Error {
  readonly checkpoints: readonly string[];

  constructor(message: string, checkpoints: readonly string[]) {
    super(message);
    this.name = "LogLied";
    this.checkpoints = checkpoints;
  }
}

/** A file of the log by its path behind the log's URL. @throws Error in words */
export type FetchFile = (path: string) => Promise<Uint8Array>;

export interface Followed {
  readonly checkpoint: OpenedCheckpoint;
  readonly seen: Seen;
  /** What was new. */
  readonly entries: number;
  readonly denials: number;
}

/**
 * @param onEntry told of each new entry, by its index
 * @throws LogLied; LogError for what is no log, or not of a key at hand
 */
export async function followLog(
  fetchFile: FetchFile,
  trust: LogTrust,
  state: FollowState,
  onEntry: (entry: LogEntry, index: number) => void = () => {},
): Promise<Followed> {
  const checkpoint = openCheckpoint(textOf(await fetchFile("checkpoint")), trust);
  const before = state.logs[checkpoint.origin];
  const frontier = frontierOf(before);
  const known = before === undefined ? [] : [before.checkpoint];
  if (checkpoint.size < frontier.size)
    throw new LogLied(
      `it shows a tree of ${checkpoint.size} entries, and signed one of ${frontier.size} before`,
      [...known, checkpoint.note],
    );
  let denials = 0;
  const from = frontier.size;
  for await (const [bytes, index] of entriesFrom(fetchFile, from, checkpoint.size)) {
    frontier.append(HASHER.leaf(bytes));
    const entry = parseEntry(bytes, index);
    if (entry.decision === "DENY") denials++;
    onEntry(entry, index);
  }
  if (!sameBytes(frontier.root(), checkpoint.root))
    throw new LogLied(
      `its ${checkpoint.size} entries hash to ${toBase64(frontier.root())}, and it signed ${toBase64(checkpoint.root)}`,
      [...known, checkpoint.note],
    );
  const { size, note } = checkpoint;
  const seen = { size, hashes: frontier.hashes.map(toBase64), checkpoint: note };
  return { checkpoint, seen, entries: size - from, denials };
}

function frontierOf(seen: Seen | undefined): Frontier {
  if (seen === undefined) return new Frontier(0, []);
  const hashes = seen.hashes.map((text) => fromBase64(text) ?? new Uint8Array());
  return new Frontier(seen.size, hashes);
}

/** The bundles that have entries from an index on, each fetched once. */
async function* entriesFrom(
  fetchFile: FetchFile,
  from: number,
  size: number,
): AsyncGenerator<[Uint8Array, number]> {
  for (let index = Math.floor(from / TILE_WIDTH); ; index++) {
    const tile = tileIn(0, index, size);
    if (tile === null) return;
    const entries = entriesOf(await fetchFile(`tile/entries/${tileName(tile)}`));
    if (entries.length !== tile.width)
      throw new LogError(`bundle ${tileName(tile)} has ${entries.length} entries`);
    for (const [n, entry] of entries.entries()) {
      const at = index * TILE_WIDTH + n;
      if (at >= from) yield [entry, at];
    }
  }
}

function parseEntry(bytes: Uint8Array, index: number): LogEntry {
  try {
    return LogEntry.parse(JSON.parse(textOf(bytes)));
  } catch {
    throw new LogError(`entry ${index} is not a judgement of this service`);
  }
}

export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new LogError("it is not text");
  }
}
