/**
 * Follows a log as a stranger does, with only its verifier key. Every entry is hashed again, every tile is compared with
 * these hashes, and the tree must extend the one that was seen last.
 */
import { concatBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { FAST_HASHER } from "../../api/log/hasher.ts";
import { fromHex, toHex } from "../../attestor/evm/hash.ts";
import { type LogTrust, openCheckpoint, parseCheckpoint } from "../../attestor/log/checkpoint.ts";
import { type LogEntry, readEntry } from "../../attestor/log/entry.ts";
import { Frontier, type Node } from "../../attestor/log/frontier.ts";
import { LogError } from "../../attestor/log/logError.ts";
import { parseNote } from "../../attestor/log/note.ts";
import type { FetchFile } from "../../attestor/log/served.ts";
import { entriesOf, TILE_HEIGHT, TILE_WIDTH, tileIn, tileName } from "../../attestor/log/tiles.ts";
import { fromBase64, sameBytes, toBase64 } from "../../attestor/values/bytes.ts";
import { textOf as textIn } from "../console.ts";

/** What was seen of a log: its last checkpoint, the tree's right edge at it, and which questions its entries answer. */
const Seen = z.strictObject({
  size: z.int().min(0),
  hashes: z.array(z.string()),
  checkpoint: z.string(),
  answers: z.string().describe("The first 16 bytes of each entry's `answer`, one after the other, in Base64"),
});
type Seen = z.infer<typeof Seen>;

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

export type Followed = Awaited<ReturnType<typeof followLog>>;

export interface FollowOptions {
  /** Hash what is new and nothing else: what was seen before may have been rewritten since. */
  readonly isNewOnly?: boolean;
  /** Told of each new judgement, by its index. */
  readonly onEntry?: (entry: LogEntry, index: number) => void;
  /** Told now and then how many entries were hashed. */
  readonly onProgress?: (hashed: number, size: number) => void;
}

const PROGRESS_EVERY = 1_024;
/** So many bytes of its hash tell an answer from all others. */
const ANSWER_BYTES = 16;

/** @throws LogLied; LogError for what is no log, or is not signed by a known key */
export async function followLog(
  fetchFile: FetchFile,
  trust: LogTrust,
  state: FollowState,
  options: FollowOptions = {},
) {
  const open = async (name: string) => openCheckpoint(textOf(await fetchFile(name)), trust);
  const cosigned = trust.witnesses?.length ? await open("cosigned").catch(() => null) : null;
  const newest = await open("checkpoint");
  const checkpoint = cosigned?.origin === newest.origin && cosigned.size > newest.size ? cosigned : newest;
  const { size, note, origin } = checkpoint;
  const before = state.logs[origin];
  const seenSize = before?.size ?? 0;
  const lied = (message: string) =>
    new LogLied(message, before === undefined ? [note] : [before.checkpoint, note]);
  if (size < seenSize) throw lied(`it shows a tree of ${size} entries, and signed one of ${seenSize} before`);
  const frontier = options.isNewOnly ? frontierOf(before) : new Frontier(0, [], FAST_HASHER);
  const tiles = options.isNewOnly ? null : new TileCheck(fetchFile, lied);
  const signed = before && parseCheckpoint(parseNote(before.checkpoint).text);
  /** Names of those that cosigned this tree, or an earlier one that it continues. */
  const witnesses: string[] = [];
  const compareRoots = () => {
    for (const known of [signed, cosigned, checkpoint]) {
      if (known?.size !== frontier.size || known.origin !== origin) continue;
      const root = frontier.root();
      if (!sameBytes(root, known.root))
        throw lied(
          `its first ${frontier.size} entries hash to ${toBase64(root)}, and it signed ${toBase64(known.root)}`,
        );
      if (known === cosigned) witnesses.push(...cosigned.witnesses);
    }
  };
  /** New entries of kinds that this program does not know, by their kind. */
  const unknown = new Map<string, number>();
  const answers = options.isNewOnly ? answersOf(before) : new Set<string>();
  /** Indexes of entries that answer what an entry before them answers. */
  const repeated: number[] = [];
  let denials = 0;
  for await (const [bytes, index] of entriesFrom(fetchFile, frontier.size, size)) {
    compareRoots();
    frontier.append(FAST_HASHER.leaf(bytes), tiles?.keep);
    if (frontier.size % TILE_WIDTH === 0) await tiles?.compareFull();
    if (frontier.size % PROGRESS_EVERY === 0) options.onProgress?.(frontier.size, size);
    const { kind, judgement } = entryAt(index, bytes);
    if (judgement !== null) {
      const answer = judgement.answer.slice(2, 2 + 2 * ANSWER_BYTES);
      if (answers.has(answer)) repeated.push(index);
      answers.add(answer);
    }
    if (index < seenSize) continue;
    if (judgement === null) unknown.set(kind, (unknown.get(kind) ?? 0) + 1);
    else options.onEntry?.(judgement, index);
    if (judgement?.decision === "DENY") denials++;
  }
  await tiles?.compareRest();
  compareRoots();
  // Only now the entries are known to be what the log signed.
  if (repeated.length > 0)
    throw lied(`it answers a job and version a second time in entries ${repeated.slice(0, 10).join(", ")}`);
  const seen = {
    size,
    hashes: frontier.hashes.map(toBase64),
    checkpoint: note,
    answers: toBase64(fromHex(`0x${[...answers].join("")}`)),
  };
  return { checkpoint, seen, entries: size - seenSize, denials, unknown, witnesses };
}

/** Holds the tiles that a log serves against the hashes of its entries. */
class TileCheck {
  readonly #fetchFile: FetchFile;
  readonly #lied: (message: string) => LogLied;
  /** By tile level: the hashes of the tile that is being filled, and its index. */
  readonly #filling: { index: number; hashes: Uint8Array[] }[] = [];

  constructor(fetchFile: FetchFile, lied: (message: string) => LogLied) {
    this.#fetchFile = fetchFile;
    this.#lied = lied;
  }

  readonly keep = ({ level }: Node, hash: Uint8Array): void => {
    if (level % TILE_HEIGHT !== 0) return;
    this.#filling[level / TILE_HEIGHT] ??= { index: 0, hashes: [] };
    this.#filling[level / TILE_HEIGHT]?.hashes.push(hash);
  };

  async compareFull(): Promise<void> {
    for (const [level, tile] of this.#filling.entries()) {
      if (tile.hashes.length < TILE_WIDTH) return;
      await this.#compare(level, tile);
      tile.index++;
      tile.hashes = [];
    }
  }

  async compareRest(): Promise<void> {
    for (const [level, tile] of this.#filling.entries())
      if (tile.hashes.length > 0) await this.#compare(level, tile);
  }

  async #compare(level: number, { index, hashes }: { index: number; hashes: Uint8Array[] }): Promise<void> {
    const name = `${level}/${tileName({ index, width: hashes.length })}`;
    if (!sameBytes(await this.#fetchFile(`tile/${name}`), concatBytes(...hashes)))
      throw this.#lied(`its tile ${name} is not what its entries hash to`);
  }
}

/** The beginnings of the answers' hashes, in hexadecimal. */
function answersOf(seen: Seen | undefined): Set<string> {
  const bytes = fromBase64(seen?.answers ?? "") ?? new Uint8Array();
  const answers = new Set<string>();
  for (let at = 0; at < bytes.length; at += ANSWER_BYTES)
    answers.add(toHex(bytes.subarray(at, at + ANSWER_BYTES)).slice(2));
  return answers;
}

function frontierOf(seen: Seen | undefined): Frontier {
  if (seen === undefined) return new Frontier(0, [], FAST_HASHER);
  const hashes = seen.hashes.map((text) => fromBase64(text) ?? new Uint8Array());
  return new Frontier(seen.size, hashes, FAST_HASHER);
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

function entryAt(index: number, bytes: Uint8Array) {
  try {
    return readEntry(textOf(bytes));
  } catch {
    throw new LogError(`entry ${index} is neither of a known kind nor of another`);
  }
}

export function textOf(bytes: Uint8Array): string {
  const text = textIn(bytes);
  if (text === null) throw new LogError("it is not text");
  return text;
}
