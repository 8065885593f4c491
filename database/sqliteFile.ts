/**
 * A SQLite file and the two beside it (-wal and -shm), for their owner alone, with two connections: one that writes, and one
 * that reads beside it.
 *
 * SQLite never looks at its files again. After one was deleted, replaced or cut off it goes on with what it has open, and
 * what is committed to that is lost with the process. So the files are compared with those that were opened, before each
 * transaction and after its commit.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { CompiledQuery, QueryResult } from "kysely";
import { LRUCache } from "lru-cache";
import { codeOf, DatabaseUnavailable, UnusableDatabase } from "./errors.ts";

const MEMORY = ":memory:";
/** The file itself, the log of what was committed, and the index to that log. */
const SUFFIXES = ["", "-wal", "-shm"] as const;
type Suffix = (typeof SUFFIXES)[number];

/** Of the write-ahead log, in bytes. */
const HEADER = 32;
const FRAME_HEADER = 24;
/** How many frames of it count, by the index that all processes share. */
const FRAMES = "pragma wal_checkpoint(noop)";
/** Another process may begin the log anew between two looks, which makes it shorter. */
const MOST_LOOKS = 3;

/** More than this program has kinds of statements; lists of values make new ones of some. */
const STATEMENTS_KEPT = 500;
const READS = /^\s*(select|with|explain)\b/i;

/** It has names, e-mail addresses and payments, so only this user may read it. */
const OWNER_ONLY = { folder: 0o700, file: 0o600, others: 0o077 };
/** Of a folder in which many may write and nobody remove what is another's, such as /tmp. */
const STICKY = 0o1000;

/** Nothing that is written counts. The message is for clients too. */
export class FilesChanged extends Error {
  readonly code = "database_files_changed";

  constructor(message: string) {
    super(message);
    this.name = "FilesChanged";
  }
}

/** One of better-sqlite3's, with its compiled statements: compiling one takes longer than running it. */
class Connection {
  readonly database: BetterSqlite3.Database;
  readonly #statements = new LRUCache<string, BetterSqlite3.Statement>({ max: STATEMENTS_KEPT });

  constructor(path: string, options: BetterSqlite3.Options) {
    this.database = new BetterSqlite3(path, options);
  }

  /** SQLite compiles again by itself when the schema changed. */
  prepare(sql: string): BetterSqlite3.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  run<R>(sql: string, parameters: readonly unknown[] = []): QueryResult<R> {
    const statement = this.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }

  pragma(name: string): number {
    return this.database.pragma(name, { simple: true }) as number;
  }
}

export class SqliteFile {
  readonly #path: string;
  #writer!: Connection;
  /** The writer, of a database in memory: there is no second way to it. */
  #reader!: Connection;
  /** null: in memory, or on a disk that takes no writes. */
  #opened: Readonly<Record<Suffix, Stats>> | null = null;
  #pageSize = 0;
  /** As it was last seen. */
  #mainSize = 0;
  /** When the open transaction began. Until it ends nobody else can make it shorter. */
  #walSize = 0;
  /** What is read may be wrong too, and nothing may be copied from one file to another. */
  #damage: FilesChanged | null = null;
  /** A connection that was opened on a disk that takes no writes stays so, whatever becomes of the disk. */
  #takesNoWrites = false;

  /**
   * Opens (and creates) the file.
   * @param busyTimeoutMs how long opening waits for another process that is at it
   * @param isChecked whether all of it is read first, a second or so a gigabyte
   * @throws UnusableDatabase `database_damaged`, DatabaseUnavailable
   */
  constructor(path: string, busyTimeoutMs: number, isChecked: boolean) {
    this.#path = path;
    try {
      if (path !== MEMORY) {
        mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY.folder });
        keepToOwner(path);
        // SQLite would take it for a new database, and throw away the log.
        if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) > 0)
          throw damaged(path, "it is empty, and its -wal is not");
      }
      this.#open(busyTimeoutMs);
      if (isChecked) this.#assertSound();
    } catch (error) {
      if (error instanceof UnusableDatabase) throw error;
      throw isCorrupt(error) ? damaged(path, error.message) : new DatabaseUnavailable(error);
    }
  }

  get inTransaction(): boolean {
    return this.#writer.database.inTransaction;
  }

  /** Runs a statement on what was committed, beside any transaction. @returns null where it does more than read */
  read<R>({ sql, parameters }: CompiledQuery): QueryResult<R> | null {
    if (this.#damage !== null) throw this.#damage;
    if (this.#reader === this.#writer || !READS.test(sql)) return null;
    return this.#reader.prepare(sql).readonly ? this.#reader.run(sql, parameters) : null;
  }

  /** Within the transaction. */
  write<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    return this.#noting(() => this.#writer.run(sql, parameters));
  }

  /**
   * Begins a transaction that has the lock for writing at once. One that reads first and writes later would fail without
   * waiting when another process wrote in between.
   */
  begin(): void {
    this.#noting(() => {
      if (this.#takesNoWrites) this.#reopen();
      this.#assertInPlace();
      this.#writer.run("begin immediate");
      if (this.#opened !== null) this.#walSize = sizeOf(`${this.#path}-wal`);
    });
  }

  /** @throws FilesChanged where it may be committed, and does not count */
  commit(): void {
    this.#noting(() => {
      // What is written behind a hole would be lost at the next start.
      if (this.#opened !== null && sizeOf(`${this.#path}-wal`) < this.#walSize) throw this.#damagedBy("-wal");
      this.#writer.run("commit");
      this.#assertInPlace();
    });
  }

  /** Undoes what is open, if SQLite has not done so itself, as it does on a full disk. */
  rollback(): void {
    if (this.inTransaction) this.#writer.run("rollback");
  }

  close(): void {
    // Closing copies from the log into the file: what is left of them would be mixed.
    if (this.#damage !== null) return;
    this.#reader.database.close();
    this.#writer.database.close();
  }

  #noting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (codeOf(error)?.startsWith("SQLITE_READONLY")) this.#takesNoWrites = true;
      throw error;
    }
  }

  #open(busyTimeoutMs: number): void {
    const path = this.#path;
    const isMemory = path === MEMORY;
    this.#writer = new Connection(path, { timeout: busyTimeoutMs, fileMustExist: !isMemory });
    const { database } = this.#writer;
    database.pragma("journal_mode = WAL");
    // The driver compiles WAL to NORMAL, which can lose an acknowledged row with the power.
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    // A statement that writes many rows keeps what they were, to undo them: otherwise in a file.
    database.pragma("temp_store = MEMORY");
    this.#reader = isMemory ? this.#writer : new Connection(path, { timeout: 0, readonly: true });
    if (!isMemory) this.#beginWatching();
    // From here on the waiting is done between attempts, where it stops nobody else.
    database.pragma("busy_timeout = 0");
  }

  #beginWatching(): void {
    const path = this.#path;
    this.#opened = null;
    // Recovers what a killed process left, and opens the other two files.
    this.#writer.run("select 1 from sqlite_schema");
    this.#pageSize = this.#writer.pragma("page_size");
    this.#mainSize = sizeOf(path);
    try {
      this.#noting(() => this.#writer.run(FRAMES));
      this.#opened = { "": statSync(path), "-wal": statSync(`${path}-wal`), "-shm": statSync(`${path}-shm`) };
    } catch (error) {
      if (!this.#takesNoWrites) throw error;
    }
  }

  /** Both, and the old ones first: the connections of a process share what they know of a file. */
  #reopen(): void {
    this.close();
    this.#takesNoWrites = false;
    this.#open(0);
  }

  /** A file that was cut off is found so too: what is missing reads as zeros. @throws UnusableDatabase */
  #assertSound(): void {
    const found = this.#writer.database.pragma("quick_check(1)", { simple: true });
    if (found !== "ok") throw damaged(this.#path, String(found));
  }

  /** Some microseconds. @throws FilesChanged */
  #assertInPlace(): void {
    if (this.#damage !== null) throw this.#damage;
    if (this.#opened === null) return;
    for (const suffix of SUFFIXES) {
      const found = lookAt(`${this.#path}${suffix}`);
      const { ino, dev } = this.#opened[suffix];
      if (found?.ino !== ino || found.dev !== dev)
        throw new FilesChanged(
          `${nameOf(suffix)} was moved, deleted or replaced while the service ran; it takes no writes until an operator restarts it`,
        );
    }
    if (this.#isMainCutOff()) throw this.#damagedBy("");
    if (this.#isWalCutOff()) throw this.#damagedBy("-wal");
  }

  /** A file gets shorter by VACUUM too, and then says so itself. */
  #isMainCutOff(): boolean {
    const size = sizeOf(this.#path);
    if (size < this.#mainSize && (size === 0 || size < this.#writer.pragma("page_count") * this.#pageSize))
      return true;
    this.#mainSize = size;
    return false;
  }

  /** Whether the log is shorter than the index that all processes share has it. */
  #isWalCutOff(): boolean {
    for (let look = 0; look < MOST_LOOKS; look++) {
      const { log } = this.#writer.prepare(FRAMES).get() as { log: number };
      if (log <= 0 || sizeOf(`${this.#path}-wal`) >= HEADER + log * (FRAME_HEADER + this.#pageSize))
        return false;
    }
    return true;
  }

  #damagedBy(suffix: Suffix): FilesChanged {
    this.#damage = new FilesChanged(
      `${nameOf(suffix)} was cut off while the service ran; an operator has to restore a backup, or restart it`,
    );
    return this.#damage;
  }
}

function nameOf(suffix: Suffix): string {
  return suffix === "" ? "the database file" : `the database's ${suffix} file`;
}

function lookAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function sizeOf(path: string): number {
  return lookAt(path)?.size ?? 0;
}

function isCorrupt(error: unknown): error is Error {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? "");
}

function damaged(path: string, what: string): UnusableDatabase {
  return new UnusableDatabase(
    "database_damaged",
    `the database file ${resolve(path)} is damaged (${what.split("\n").at(-1)}): move it aside with its -wal and -shm, and ` +
      "restore the newest backup (assay backup restore <file>; docs/run/runbooks/restore.md)",
  );
}

/** Creates the file for its owner alone, and closes one that others can read; SQLite's files beside it follow it. */
function keepToOwner(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", OWNER_ONLY.file));
  for (const suffix of SUFFIXES) {
    const file = `${path}${suffix}`;
    const mode = lookAt(file)?.mode ?? 0;
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
