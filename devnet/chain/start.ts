/**
 * The local chain, read first: lock the directory, read the journal, replay it, open the journal for more,
 * listen.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type Clock, unixSeconds } from "../clock.ts";
import { CHAIN_ID, createEngine, type Engine, engineVersion, HARDFORK } from "./engine.ts";
import { ChainStartError } from "./errors.ts";
import {
  continueJournal,
  createJournal,
  type JournalContents,
  type JournalHeader,
  type JournalWriter,
  readJournal,
  setJournalAside,
} from "./journal.ts";
import { type Front, startFront } from "./jsonRpcServer.ts";
import { createNode } from "./node.ts";
import { callMethod } from "./rpc.ts";

/** A replay longer than this says how far it is. */
const PROGRESS_EVERY_MS = 2_000;

export interface ChainOptions {
  /** The chain keeps its files in `chain/` below it. */
  readonly dataDir: string;
  /** JSON-RPC port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  readonly clock: Clock;
  /** Takes progress, one line at a time. */
  readonly log: (line: string) => void;
  /** A journal without this note is an unfinished beginning: it is moved aside and the chain begins anew. */
  readonly requiredNote?: string;
}

export type Chain = Awaited<ReturnType<typeof startChain>>;

/**
 * Starts the chain, with all blocks that it ever answered for.
 * @throws ChainStartError when the directory or the port is taken, or the journal does not fit
 */
export async function startChain(options: ChainOptions) {
  const directory = join(options.dataDir, "chain");
  const lock = lockDirectory(directory);
  let journal: JournalWriter | undefined;
  let engine: Engine | undefined;
  let front: Front | undefined;
  try {
    const listening = await startFront(options.port);
    front = listening;
    const path = join(directory, "journal.jsonl");
    const contents = await usableJournal(path, options);
    const header = contents?.header ?? (await newHeader(options.clock));
    const running = await createEngine(header.genesisTime);
    engine = running;
    const started = performance.now();
    const replayed = contents === null ? null : await replay(running, contents, path, options.log);
    const writer =
      contents === null ? await createJournal(path, header) : await continueJournal(path, contents);
    journal = writer;
    if (replayed?.unclosed !== undefined)
      await writer.close(replayed.unclosed.number, replayed.unclosed.hash);

    const latest = replayed?.latest ?? { number: 0, time: header.genesisTime };
    const node = createNode({ engine: running, journal: writer, clock: options.clock, latest });
    const notes = new Map(contents?.notes);
    listening.serve(node);
    return {
      url: listening.url,
      chainId: CHAIN_ID,
      /** What replaying took; null for a chain that began just now. */
      replay: replayed && { blocks: latest.number, milliseconds: performance.now() - started },
      /** The same calls as over HTTP, without HTTP. Throws RpcError. */
      request: (method: string, params: readonly unknown[] = []) => callMethod(node, method, params),
      /** Mines these signed transactions in one block, or an empty one; resolves when that is on disk. */
      mine: (rawTransactions?: readonly string[]) => node.mine(rawTransactions),
      /** What was noted under that name, or undefined. */
      note: (name: string) => notes.get(name),
      /** Notes a JSON value for good; resolves when it is on disk. */
      async setNote(name: string, value: unknown) {
        await writer.note(name, value);
        notes.set(name, value);
      },
      /** What answers a GET on the chain's port from now on. */
      onGet: listening.onGet,
      async stop() {
        await listening.close();
        await node.stop();
        await running.close();
        lock.release();
      },
    };
  } catch (error) {
    await front?.close();
    await journal?.end();
    await engine?.close();
    lock.release();
    throw error;
  }
}

async function newHeader(clock: Clock): Promise<JournalHeader> {
  return {
    journal: 1,
    chainId: CHAIN_ID,
    genesisTime: unixSeconds(clock),
    hardfork: HARDFORK,
    hardhat: await engineVersion(),
  };
}

async function usableJournal(path: string, options: ChainOptions): Promise<JournalContents | null> {
  const contents = await readJournal(path);
  if (contents === null) return null;
  if (options.requiredNote !== undefined && !contents.notes.has(options.requiredNote)) {
    const aside = await setJournalAside(path);
    options.log(
      `This chain has no complete world of this version; starting over (what was there is now in ${aside}).`,
    );
    return null;
  }
  if (contents.validBytes < contents.totalBytes)
    options.log(
      `Dropping ${contents.totalBytes - contents.validBytes} torn bytes at the end of the journal.`,
    );
  return contents;
}

/** @throws ChainStartError `journal_mismatch` at the first block that comes out differently */
async function replay(
  engine: Engine,
  { header, entries }: JournalContents,
  path: string,
  log: (line: string) => void,
) {
  if (header.chainId !== CHAIN_ID || header.hardfork !== HARDFORK)
    throw new ChainStartError(
      "journal_mismatch",
      await mismatch(path, header, "it belongs to another chain or hardfork"),
    );
  let latest = { number: 0, time: header.genesisTime };
  /** A block whose closing line did not make it to the disk. */
  let unclosed: { readonly number: number; readonly hash: string | null } | undefined;
  let reported = performance.now();
  if (entries.length > 0) log(`Replaying ${entries.length.toLocaleString("en")} blocks…`);
  for (const [index, entry] of entries.entries()) {
    // Refused then, refused now.
    if (entry.hash === null) continue;
    const { block } = await engine.mine(entry.time, entry.transactions);
    const hash = block?.hash ?? null;
    if (entry.hash === undefined) unclosed = { number: entry.number, hash };
    else if (entry.hash !== hash)
      throw new ChainStartError(
        "journal_mismatch",
        await mismatch(
          path,
          header,
          `block ${entry.number} has the hash ${entry.hash} there and ${hash} here`,
        ),
      );
    if (block !== null) latest = { number: block.number, time: entry.time };
    if (performance.now() - reported > PROGRESS_EVERY_MS) {
      reported = performance.now();
      log(`Replayed ${(index + 1).toLocaleString("en")} of ${entries.length.toLocaleString("en")} blocks…`);
    }
  }
  return { latest, unclosed };
}

async function mismatch(path: string, header: JournalHeader, why: string): Promise<string> {
  const version = await engineVersion();
  const cause =
    header.hardhat === version
      ? "The file was changed, or made on another machine."
      : `It was written with Hardhat ${header.hardhat}, and this is ${version}: install that version again to continue with it.`;
  return (
    `The chain's journal ${path} does not replay: ${why}. ${cause} ` +
    "To begin a new world, move the whole data directory aside: its database describes this chain and does not fit another."
  );
}

/**
 * One chain a data directory. The lock is the operating system's, taken through SQLite: it is gone the moment
 * the process is, however it ended, which a file with a process id cannot promise.
 * @throws ChainStartError `in_use` when another chain holds the directory
 */
function lockDirectory(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const database = new Database(join(directory, "lock"), { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new ChainStartError(
      "in_use",
      `Another local chain is running on ${directory}. Stop it first, or set DATA_DIR to another directory.`,
      { cause: error },
    );
  }
  return { release: () => database.close() };
}
