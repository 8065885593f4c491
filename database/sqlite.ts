/** SQLite through better-sqlite3: one connection that is also the one writer. */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import { codeOf, DatabaseUnavailable } from "./errors.ts";

const MEMORY = ":memory:";

// The file is locked by somebody else, or the disk fails: nothing that the query could have done better.
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|NOTADB|CORRUPT|PROTOCOL)/;

function translate(error: unknown): unknown {
  const closed = error instanceof TypeError && error.message === "The database connection is not open";
  return closed || UNAVAILABLE.test(codeOf(error) ?? "") ? new DatabaseUnavailable(error) : error;
}

/**
 * Opens (and creates) the file.
 * @param busyTimeoutMs how long a statement waits for another process's write
 * @throws DatabaseUnavailable
 */
function openFile(path: string, busyTimeoutMs: number): BetterSqlite3.Database {
  try {
    // Names and e-mail addresses stand in it: for this user alone.
    if (path !== MEMORY) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = new BetterSqlite3(path, { timeout: busyTimeoutMs });
    // The driver compiles WAL to synchronous=NORMAL, which can lose an acknowledged row with the power.
    file.pragma("journal_mode = WAL");
    file.pragma("synchronous = FULL");
    file.pragma("foreign_keys = ON");
    return file;
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}

class TranslatingConnection implements DatabaseConnection {
  readonly #inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.#inner = inner;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await this.#inner.executeQuery<R>(query);
    } catch (error) {
      throw translate(error);
    }
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#inner.streamQuery<R>(query, chunkSize);
  }
}

class AssaySqliteDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    return new TranslatingConnection(await super.acquireConnection());
  }

  // A transaction that reads first and writes later fails at once, without waiting, when another process
  // wrote in between. Taking the write lock at the start waits its turn instead.
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
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
}

class AssaySqliteDialect extends SqliteDialect {
  readonly #file: BetterSqlite3.Database;

  constructor(file: BetterSqlite3.Database) {
    super({ database: file });
    this.#file = file;
  }

  override createDriver(): Driver {
    return new AssaySqliteDriver({ database: this.#file });
  }

  override createAdapter(): SqliteAdapter {
    return new AssaySqliteAdapter();
  }
}

/** @throws DatabaseUnavailable when the file cannot be opened */
export function sqliteDialect(path: string, busyTimeoutMs: number): SqliteDialect {
  return new AssaySqliteDialect(openFile(path, busyTimeoutMs));
}
