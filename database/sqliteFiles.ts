/**
 * The SQLite file and its two handles: one that writes, and one beside it that reads. For its owner alone, watched for
 * being moved away, and opened anew after the disk took no writes.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { codeOf, DatabaseUnavailable } from "./databaseErrors.ts";
import { assertNotEmptied, FilesChanged, SqliteWatch } from "./sqliteWatch.ts";

const MEMORY = ":memory:";
/** It has names, e-mail addresses and payments, so only this user may read it. */
const OWNER_ONLY = { folder: 0o700, file: 0o600, others: 0o077 };
/** Of a folder in which many may write and nobody remove what is another's, such as /tmp. */
const STICKY = 0o1000;

export class SqliteFiles {
  readonly #path: string;
  /** null: of a database in memory, and of one that takes no writes. */
  #watch: SqliteWatch | null = null;
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
        assertNotEmptied(path);
      }
      this.#writer = openWriter(path, busyTimeoutMs);
      this.#reader = path === MEMORY ? this.#writer : openReader(path);
      this.#opened();
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  }

  #opened(): void {
    try {
      if (this.#path !== MEMORY) this.#watch = new SqliteWatch(this.#path, this.#writer);
    } catch (error) {
      this.noteFailure(error);
      if (!this.#writeProtected) throw error;
    }
    // From here on the waiting is done between attempts, where it stops nobody else.
    this.#writer.pragma("busy_timeout = 0");
  }

  get writer(): BetterSqlite3.Database {
    return this.#writer;
  }

  /**
   * Of a database in memory it is the writer: there is no second way to it.
   * @throws FilesChanged where what it would read is damaged, or SQLite's own error
   */
  get reader(): BetterSqlite3.Database {
    if (this.#watch?.fault?.isDamage) throw this.#watch.fault;
    if (!this.#reader.open && !this.#ended) this.#reader = openReader(this.#path);
    return this.#reader;
  }

  /**
   * Before a write. A handle that was opened on a read-only disk stays read-only forever, so it is replaced.
   * @throws FilesChanged, or SQLite's own error
   */
  prepareToWrite(): void {
    this.assertInPlace();
    if (!this.#writeProtected) return;
    this.#writeProtected = false;
    this.#reopen();
  }

  /** Both, and the old ones first: the handles of a process share what they know of a file. */
  #reopen(): void {
    this.#closeHandles();
    this.#writer = openWriter(this.#path, 0);
    this.#reader = openReader(this.#path);
    this.#opened();
  }

  /** Before a write, and after a commit before it is acknowledged. @throws FilesChanged, or SQLite's own error */
  assertInPlace(): void {
    this.#watch?.assertInPlace();
  }

  /** After a write that failed. */
  noteFailure(error: unknown): void {
    if (codeOf(error)?.startsWith("SQLITE_READONLY") && !(error instanceof FilesChanged))
      this.#writeProtected = true;
  }

  close(): void {
    this.#ended = true;
    this.#closeHandles();
  }

  #closeHandles(): void {
    // Closing copies from the WAL into the file: what is left of them would be mixed.
    if (this.#watch?.fault?.isDamage) return;
    this.#watch?.close();
    this.#watch = null;
    this.#reader.close();
    this.#writer.close();
  }
}

const openReader = (path: string) => new BetterSqlite3(path, { timeout: 0, readonly: true });

function openWriter(path: string, busyTimeoutMs: number): BetterSqlite3.Database {
  const file = new BetterSqlite3(path, { timeout: busyTimeoutMs, fileMustExist: path !== MEMORY });
  // The driver compiles WAL to synchronous=NORMAL, which can lose an acknowledged row with the power.
  file.pragma("journal_mode = WAL");
  file.pragma("synchronous = FULL");
  file.pragma("foreign_keys = ON");
  // A statement that writes many rows keeps what they were, to undo them: otherwise in a file.
  file.pragma("temp_store = MEMORY");
  // KiB: the pages that one round of the market writes. With less they would be read and written twice.
  file.pragma("cache_size = -16000");
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
