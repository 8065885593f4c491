/**
 * SQLite through better-sqlite3: one connection that writes, and one beside it that reads. Reading goes on while a
 * write waits for its turn, for another process's lock, or for room on the disk.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
} from "kysely";
import { codeOf, DatabaseUnavailable } from "./errors.ts";
import { Turn, whileBusy } from "./sqliteQueue.ts";

const MEMORY = ":memory:";
/** Names, e-mail addresses and payments stand in it: for this user alone. */
const OWNER_ONLY = { folder: 0o700, file: 0o600, others: 0o077 };

// The file is locked by somebody else, or the disk fails: nothing that the query could have done better.
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|NOTADB|CORRUPT|PROTOCOL)/;

function translate(error: unknown): unknown {
  const closed = error instanceof TypeError && error.message === "The database connection is not open";
  return closed || UNAVAILABLE.test(codeOf(error) ?? "") ? new DatabaseUnavailable(error) : error;
}

/** The file was moved or replaced: what is written into the old one, nobody will find. */
class Moved extends Error {
  readonly code = "SQLITE_READONLY_DBMOVED";

  constructor() {
    super("the database file is no longer where it was opened");
    this.name = "Moved";
  }
}

interface Files {
  readonly writer: BetterSqlite3.Database;
  /** Of a database in memory it is the writer: there is no second way to it. */
  readonly reader: BetterSqlite3.Database;
  /** @throws Moved */
  assertInPlace(): void;
}

/**
 * Opens (and creates) the file.
 * @param busyTimeoutMs how long opening waits for another process that is at it
 * @throws DatabaseUnavailable
 */
function openFiles(path: string, busyTimeoutMs: number): Files {
  try {
    if (path === MEMORY) {
      const writer = openHandle(path, busyTimeoutMs);
      return { writer, reader: writer, assertInPlace: () => {} };
    }
    mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY.folder });
    keepToOwner(path);
    const writer = openHandle(path, busyTimeoutMs);
    const opened = statSync(path);
    return {
      writer,
      reader: new BetterSqlite3(path, { timeout: 0, readonly: true }),
      assertInPlace: () => {
        if (!isSame(opened, statSync(path, { throwIfNoEntry: false }))) throw new Moved();
      },
    };
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}

function isSame(opened: Stats, found: Stats | undefined): boolean {
  return found !== undefined && found.ino === opened.ino && found.dev === opened.dev;
}

function openHandle(path: string, busyTimeoutMs: number): BetterSqlite3.Database {
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

function run<R>(file: BetterSqlite3.Database, { sql, parameters }: CompiledQuery): QueryResult<R> {
  const statement = file.prepare(sql);
  if (statement.reader) return { rows: statement.all(parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
}

const READS = /^\s*(select|with|explain)\b/i;

/** One of many over the same two handles. Within a transaction it has the writer to itself. */
class SqliteConnection implements DatabaseConnection {
  readonly #files: Files;
  readonly #turn: Turn;
  readonly #waitMs: number;
  #endTurn: (() => void) | null = null;

  constructor(files: Files, turn: Turn, waitMs: number) {
    this.#files = files;
    this.#turn = turn;
    this.#waitMs = waitMs;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      if (this.#endTurn) return run<R>(this.#files.writer, query);
      if (this.#isRead(query)) return await whileBusy(this.#waitMs, () => run<R>(this.#files.reader, query));
      const endTurn = await this.#turn.take();
      try {
        return await whileBusy(this.#waitMs, () => {
          this.#files.assertInPlace();
          return run<R>(this.#files.writer, query);
        });
      } finally {
        endTurn();
      }
    } catch (error) {
      throw translate(error);
    }
  }

  #isRead({ sql }: CompiledQuery): boolean {
    const { reader, writer } = this.#files;
    return reader !== writer && READS.test(sql) && reader.prepare(sql).readonly;
  }

  // A transaction that reads first and writes later fails at once, without waiting, when another process
  // wrote in between. Taking the write lock at the start waits its turn instead.
  async begin(): Promise<void> {
    this.#endTurn = await this.#turn.take();
    try {
      await whileBusy(this.#waitMs, () => this.#files.writer.exec("begin immediate"));
    } catch (error) {
      this.end();
      throw translate(error);
    }
  }

  commit(): void {
    try {
      this.#files.assertInPlace();
      this.#files.writer.exec("commit");
    } catch (error) {
      throw translate(error);
    }
    this.end();
  }

  /** Undoes what is open, if SQLite has not done so itself, as it does on a full disk. */
  end(): void {
    try {
      if (this.#endTurn && this.#files.writer.inTransaction) this.#files.writer.exec("rollback");
    } finally {
      this.#endTurn?.();
      this.#endTurn = null;
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

class AssaySqliteDriver implements Driver {
  readonly #files: Files;
  readonly #waitMs: number;
  readonly #turn = new Turn();

  constructor(files: Files, waitMs: number) {
    this.#files = files;
    this.#waitMs = waitMs;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#files, this.#turn, this.#waitMs);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    connection.end();
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.end();
  }

  async destroy(): Promise<void> {
    this.#files.reader.close();
    this.#files.writer.close();
  }
}

/**
 * SQLite's schema changes are transactional. Saying so runs all pending migrations in one transaction,
 * which holds the write lock: of two processes that start at once the second waits, then finds the work done.
 */
class AssaySqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  // Kysely would let one statement at a time through; the driver itself knows which may pass which.
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class AssaySqliteDialect extends SqliteDialect {
  readonly #files: Files;
  readonly #waitMs: number;

  constructor(files: Files, waitMs: number) {
    super({ database: files.writer });
    this.#files = files;
    this.#waitMs = waitMs;
  }

  override createDriver(): Driver {
    return new AssaySqliteDriver(this.#files, this.#waitMs);
  }

  override createAdapter(): SqliteAdapter {
    return new AssaySqliteAdapter();
  }
}

/**
 * @param busyTimeoutMs how long a statement waits for another process's write
 * @throws DatabaseUnavailable when the file cannot be opened
 */
export function sqliteDialect(path: string, busyTimeoutMs: number): SqliteDialect {
  return new AssaySqliteDialect(openFiles(path, busyTimeoutMs), busyTimeoutMs);
}
