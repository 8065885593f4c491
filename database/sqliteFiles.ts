/**
 * The SQLite file and its two handles: one that writes, and one beside it that reads. For its owner alone, watched for
 * being moved away, and opened anew after the disk took no writes.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { codeOf, DatabaseUnavailable } from "./databaseErrors.ts";

const MEMORY = ":memory:";
/** Names, e-mail addresses and payments stand in it: for this user alone. */
const OWNER_ONLY = { folder: 0o700, file: 0o600, others: 0o077 };
/** Of a folder in which many may write and nobody remove what is another's, such as /tmp. */
const STICKY = 0o1000;

/** The file was moved or replaced: what is written into the old one, nobody will find. */
class Moved extends Error {
  readonly code = "SQLITE_READONLY_DBMOVED";

  constructor() {
    super("the database file is no longer where it was opened");
    this.name = "Moved";
  }
}

export class SqliteFiles {
  readonly #path: string;
  readonly #opened: Stats | null;
  #writer: BetterSqlite3.Database;
  #reader: BetterSqlite3.Database;
  #writeProtected = false;
  #ended = false;

  /**
   * Opens (and creates) the file.
   * @param busyTimeoutMs how long opening waits for another process that is at it
   * @throws DatabaseUnavailable
   */
  constructor(path: string, busyTimeoutMs: number) {
    this.#path = path;
    try {
      if (path !== MEMORY) {
        mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY.folder });
        keepToOwner(path);
      }
      this.#writer = openWriter(path, busyTimeoutMs);
      this.#opened = path === MEMORY ? null : statSync(path);
      this.#reader = path === MEMORY ? this.#writer : openReader(path);
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  }

  get writer(): BetterSqlite3.Database {
    return this.#writer;
  }

  /**
   * Of a database in memory it is the writer: there is no second way to it.
   * @throws SQLite's own error
   */
  get reader(): BetterSqlite3.Database {
    if (!this.#reader.open && !this.#ended) this.#reader = openReader(this.#path);
    return this.#reader;
  }

  /**
   * Before a write. A handle that was opened while the disk took no writes takes none for ever; it makes room for a new one.
   * @throws Moved, or SQLite's own error
   */
  prepareToWrite(): void {
    this.assertInPlace();
    if (!this.#writeProtected) return;
    this.#reopen();
    this.#writeProtected = false;
  }

  /** Both, and the old ones first: the handles of a process share what they know of a file. */
  #reopen(): void {
    this.#closeHandles();
    this.#writer = openWriter(this.#path, 0);
    this.#reader = openReader(this.#path);
  }

  /** @throws Moved */
  assertInPlace(): void {
    if (this.#opened === null) return;
    if (!isSame(this.#opened, statSync(this.#path, { throwIfNoEntry: false }))) throw new Moved();
  }

  /** After a write that failed. */
  noteFailure(error: unknown): void {
    if (codeOf(error)?.startsWith("SQLITE_READONLY") && !(error instanceof Moved))
      this.#writeProtected = true;
  }

  close(): void {
    this.#ended = true;
    this.#closeHandles();
  }

  #closeHandles(): void {
    this.#reader.close();
    this.#writer.close();
  }
}

function isSame(opened: Stats, found: Stats | undefined): boolean {
  return found !== undefined && found.ino === opened.ino && found.dev === opened.dev;
}

const openReader = (path: string) => new BetterSqlite3(path, { timeout: 0, readonly: true });

function openWriter(path: string, busyTimeoutMs: number): BetterSqlite3.Database {
  const file = new BetterSqlite3(path, { timeout: busyTimeoutMs });
  // The driver compiles WAL to synchronous=NORMAL, which can lose an acknowledged row with the power.
  file.pragma("journal_mode = WAL");
  file.pragma("synchronous = FULL");
  file.pragma("foreign_keys = ON");
  // From here on the waiting is done between attempts, where it stops nobody else.
  file.pragma("busy_timeout = 0");
  return file;
}

/** Creates the file for its owner alone, and closes one that others can read; SQLite's files beside it follow it. */
function keepToOwner(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", OWNER_ONLY.file));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & OWNER_ONLY.others) !== 0) chmodSync(file, OWNER_ONLY.file);
  }
}

/**
 * What to tell an operator whose folder was there before and is open to others. It stays as it is, since who made it may
 * have others in it; the files are closed either way.
 * @returns null where it is closed, and for a database in memory
 */
export function openFolderWarning(path: string): string | null {
  if (path === MEMORY) return null;
  const folder = resolve(dirname(path));
  const { mode } = statSync(folder);
  if ((mode & OWNER_ONLY.others) === 0) return null;
  const remedy =
    (mode & STICKY) !== 0
      ? "give the database a folder of its own"
      : `chmod 700 ${folder}, if nobody else needs it`;
  return `other users can look into ${folder}, the database's folder (though they cannot open its files): ${remedy}`;
}
