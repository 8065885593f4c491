/**
 * The chain's memory on disk: an append-only file of JSON lines.
 *
 * - first line: `{"journal":1,"chainId","genesisTime","hardfork","hardhat"}`
 * - before a block is mined: `{"open":n,"time":t,"transactions":["0x…"]}`, on disk before the block exists
 * - after it: `{"done":n,"hash":"0x…"}`, or `{"void":n}` when every transaction was refused
 * - notes: `{"note":"name","value":…}`, what a world wants to find again
 *
 * Nothing is answered before its `open` line is on disk; a lost `done` line is computed again.
 */
import { type FileHandle, mkdir, open, readFile, rename, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { orElse } from "../../attestor/values/orElse.ts";
import { ChainStartError } from "./errors.ts";

const Header = z.strictObject({
  journal: z.literal(1),
  chainId: z.int(),
  genesisTime: z.int(),
  hardfork: z.string(),
  hardhat: z.string(),
});
export type JournalHeader = z.infer<typeof Header>;

const Hex = z.string().regex(/^0x[0-9a-f]*$/);
const Open = z.strictObject({ open: z.int(), time: z.int(), transactions: z.array(Hex) });
const Done = z.strictObject({ done: z.int(), hash: Hex });
const Void = z.strictObject({ void: z.int() });
const Note = z.strictObject({ note: z.string(), value: z.unknown() });
const Line = z.union([Open, Done, Void, Note]);

interface JournalEntry {
  /** Number the block has, or would have had. */
  readonly number: number;
  /** Unix seconds. */
  readonly time: number;
  /** Signed transactions in hexadecimal. */
  readonly transactions: readonly string[];
  /** The block's hash; null when nothing was mined; undefined when the process ended before it was known. */
  hash: string | null | undefined;
}

export type JournalContents = NonNullable<Awaited<ReturnType<typeof readJournal>>>;

/**
 * @returns null where there is no file, or no whole header in it. What follows `validBytes` was being written when the process
 *   ended
 * @throws ChainStartError `journal_corrupt` when a line other than the last is invalid
 */
export async function readJournal(path: string) {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (bytes === null) return null;
  let header: JournalHeader | undefined;
  const entries: JournalEntry[] = [];
  const notes = new Map<string, unknown>();
  let start = 0;
  for (let number = 1; start < bytes.length; number++) {
    const end = bytes.indexOf(0x0a, start);
    const isLast = end === -1 || end === bytes.length - 1;
    const text = bytes.toString("utf8", start, end === -1 ? bytes.length : end);
    const corrupt = (why: string) =>
      new ChainStartError("journal_corrupt", corruptMessage(path, number, why));
    const value: unknown = end === -1 ? undefined : orElse(() => JSON.parse(text), undefined);
    const line = header === undefined ? Header.safeParse(value) : Line.safeParse(value);
    if (!line.success) {
      if (isLast) break;
      throw corrupt("it is not a line of this format");
    }
    const data = line.data;
    const last = entries.at(-1);
    if ("journal" in data) header = data;
    else if ("note" in data) notes.set(data.note, data.value);
    else if ("open" in data) {
      if (last !== undefined && last.hash === undefined)
        throw corrupt(`block ${last.number} was never closed`);
      entries.push({ number: data.open, time: data.time, transactions: data.transactions, hash: undefined });
    } else {
      const closes = "done" in data ? data.done : data.void;
      if (last === undefined || last.hash !== undefined || last.number !== closes)
        throw corrupt(`it closes block ${closes}, which is not open`);
      last.hash = "done" in data ? data.hash : null;
    }
    start = end + 1;
  }
  if (header === undefined) return null;
  return { header, entries, notes, validBytes: start, totalBytes: bytes.length };
}

export type JournalWriter = ReturnType<typeof writer>;

/** Begins a journal and replaces any file at `path`. */
export async function createJournal(path: string, header: JournalHeader): Promise<JournalWriter> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, "w", 0o600);
  await handle.appendFile(`${JSON.stringify(header)}\n`);
  await handle.datasync();
  return writer(handle);
}

/** Goes on with a journal that was read, cutting off what was torn. */
export async function continueJournal(path: string, contents: JournalContents): Promise<JournalWriter> {
  if (contents.validBytes < contents.totalBytes) await truncate(path, contents.validBytes);
  return writer(await open(path, "a"));
}

/**
 * Moves an unfinished journal out of the way instead of deleting it.
 * @returns where it is now
 */
export async function setJournalAside(path: string): Promise<string> {
  const aside = `${path.replace(/\.jsonl$/, "")}.unfinished.jsonl`;
  await rename(path, aside);
  return aside;
}

function writer(handle: FileHandle) {
  const append = (line: object) => handle.appendFile(`${JSON.stringify(line)}\n`);
  const appendForGood = async (line: object) => {
    await append(line);
    await handle.datasync();
  };
  return {
    /** Resolves once the line is on disk. */
    open: (number: number, time: number, transactions: readonly string[]) =>
      appendForGood({ open: number, time, transactions }),
    /** `hash` null: nothing was mined. Not forced to disk: it can be computed again. */
    close: (number: number, hash: string | null) =>
      append(hash === null ? { void: number } : { done: number, hash }),
    /** Resolves once the note is on disk. */
    note: (note: string, value: unknown) => appendForGood({ note, value }),
    end: () => handle.close(),
  };
}

function corruptMessage(path: string, line: number, why: string): string {
  return (
    `Line ${line} of the chain's journal ${path} cannot be used: ${why}. ` +
    "Restore the file from a backup, or move the whole data directory aside to begin a new world " +
    "(its database describes this chain and does not fit another)."
  );
}
