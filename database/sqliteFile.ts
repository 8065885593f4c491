/**
 * A SQLite file with its two connections: one that writes, and one that reads beside it. For its owner alone, watched while
 * it is open, and opened anew after the disk took no writes.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { CompiledQuery, QueryResult } from "kysely";
import { LRUCache } from "lru-cache";
import { DatabaseUnavailable, UnusableDatabase } from "./errors.ts";
import { isCorrupt, isLocked, isReadOnly } from "./sqliteErrors.ts";
import { SqliteWatch, SUFFIXES, sizeOf } from "./sqliteWatch.ts";

const MEMORY = ":memory:";
/** More than this program has kinds of statements; lists of values make new ones of some. */
const STATEMENTS_KEPT = 500;
const READS = /^\s*(select|with|explain)\b/i;

/** It has names, e-mail addresses and payments, so only this user may read it. */
const OWNER_ONLY = { folder: 0o700, file: 0o600, others: 0o077 };
/** Of a folder in which many may write and nobody remove what is another's, such as /tmp. */
const STICKY = 0o1000;

/** One of better-sqlite3's, with its compiled statements: compiling one takes longer than running it. */
class Connection {
  readonly database: BetterSqlite3.Database;
  readonly #statements = new LRUCache<string, BetterSqlite3.Statement>({ max: STATEMENTS_KEPT });

  constructor(path: string, options: BetterSqlite3.Options) {
    this.database = new BetterSqlite3(path, options);
  }

  /** SQLite compiles again by itself when the schema changed. */
  prepare(sql: string): BetterSqlite3.Statement {
    const prepared = this.#statements.get(sql);
    if (prepared !== undefined) return prepared;
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
}

const PAUSE_MS = 20;

/**
 * Has the file keep a write-ahead log. Of two processes that begin one for a new file at once, SQLite turns one away without
 * waiting, since each would wait for the other; so the waiting is done here.
 */
function keepAheadLog(database: BetterSqlite3.Database, patienceMs: number): void {
  database.pragma("busy_timeout = 0");
  for (let waitedMs = 0; !triesAheadLog(database, waitedMs >= patienceMs); waitedMs += PAUSE_MS)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  database.pragma(`busy_timeout = ${patienceMs}`);
}

/** @returns false where the file is locked @throws where it is the last time */
function triesAheadLog(database: BetterSqlite3.Database, isLast: boolean): boolean {
  try {
    database.pragma("journal_mode = WAL");
    return true;
  } catch (error) {
    if (!isLocked(error) || isLast) throw error;
    return false;
  }
}

export class SqliteFile {
  readonly #path: string;
  #writer!: Connection;
  /** The writer, of a database in memory: there is no second way to it. */
  #reader!: Connection;
  /** null: in memory, or on a disk that takes no writes. */
  #watch: SqliteWatch | null = null;
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
    if (this.#watch?.damage) throw this.#watch.damage;
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
      this.#watch?.assertInPlace();
      this.#writer.run("begin immediate");
      this.#watch?.begun();
    });
  }

  /** @throws FilesChanged where it may be committed, and does not count */
  commit(): void {
    this.#noting(() => {
      this.#watch?.assertSinceBegun();
      this.#writer.run("commit");
      this.#watch?.assertInPlace();
    });
  }

  /** Undoes what is open, if SQLite has not done so itself, as it does on a full disk. */
  rollback(): void {
    if (this.inTransaction) this.#writer.run("rollback");
  }

  close(): void {
    // Closing copies from the log into the file: what is left of them would be mixed.
    if (this.#watch?.damage) return;
    this.#reader.database.close();
    this.#writer.database.close();
  }

  #noting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isReadOnly(error)) this.#takesNoWrites = true;
      throw error;
    }
  }

  #open(busyTimeoutMs: number): void {
    const path = this.#path;
    const isMemory = path === MEMORY;
    this.#writer = new Connection(path, { timeout: busyTimeoutMs, fileMustExist: !isMemory });
    const { database } = this.#writer;
    keepAheadLog(database, busyTimeoutMs);
    // The driver compiles WAL to NORMAL, which can lose an acknowledged row with the power.
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    // A statement that writes many rows keeps what they were, to undo them: otherwise in a file.
    database.pragma("temp_store = MEMORY");
    // KiB: the pages that one round of the market writes. With less they would be read and written twice.
    database.pragma("cache_size = -16000");
    this.#reader = isMemory ? this.#writer : new Connection(path, { timeout: 0, readonly: true });
    if (!isMemory) this.#beginWatching();
    // From here on the waiting is done between attempts, where it stops nobody else.
    database.pragma("busy_timeout = 0");
  }

  #beginWatching(): void {
    this.#watch = null;
    // Recovers what a killed process left, and opens the other two files.
    this.#writer.run("select 1 from sqlite_schema");
    try {
      this.#watch = this.#noting(() => new SqliteWatch(this.#path, this.#writer.database));
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
}

function damaged(path: string, what: string): UnusableDatabase {
  return new UnusableDatabase(
    "database_damaged",
    `the database file ${resolve(path)} is damaged (${what.split("\n").at(-1)}): move it aside with its -wal and -shm, and ` +
      "restore the newest backup (assay backup restore <file>; docs/run/runbooks.md#restore-from-a-backup)",
  );
}

/** Creates the file for its owner alone, and closes one that others can read; SQLite's files beside it follow it. */
function keepToOwner(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "a", OWNER_ONLY.file));
  for (const suffix of SUFFIXES) {
    const file = `${path}${suffix}`;
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
