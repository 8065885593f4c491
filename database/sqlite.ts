/**
 * SQLite through better-sqlite3: one connection that writes, and one beside it that reads. Reading goes on while a
 * write waits for its turn, for another process's lock, or for room on the disk.
 */
import type BetterSqlite3 from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
} from "kysely";
import { codeOf, DatabaseUnavailable } from "./databaseErrors.ts";
import { SqliteFiles } from "./sqliteFiles.ts";
import { Patience, Turn } from "./sqliteQueue.ts";
import { FilesChanged } from "./sqliteWatch.ts";

/** By the beginning of SQLite's code: nothing that the query could have done better. */
const REASONS: readonly (readonly [string, string])[] = [
  ["BUSY", "another process has locked it"],
  ["LOCKED", "another process has locked it"],
  ["FULL", "its disk is full"],
  ["READONLY", "its disk takes no writes"],
  ["IOERR", "its disk fails"],
  ["CANTOPEN", "its file cannot be opened"],
  ["NOTADB", "its file is corrupt"],
  ["CORRUPT", "its file is corrupt"],
  ["PROTOCOL", "another process has locked it"],
];

function translate(error: unknown): unknown {
  if (error instanceof FilesChanged) return new DatabaseUnavailable(error, error.message);
  const code = codeOf(error) ?? "";
  const known = REASONS.find(([beginning]) => code.startsWith(`SQLITE_${beginning}`));
  const closed = error instanceof TypeError && error.message === "The database connection is not open";
  return known || closed ? new DatabaseUnavailable(error, known?.[1]) : error;
}

/** More than this program has kinds of statements; lists of values make new ones of some. */
const STATEMENTS_KEPT = 500;
const prepared = new WeakMap<BetterSqlite3.Database, Map<string, BetterSqlite3.Statement>>();

/** Compiling a statement takes longer than running it. SQLite compiles again by itself when the schema changed. */
function statementFor(file: BetterSqlite3.Database, sql: string): BetterSqlite3.Statement {
  const statements = prepared.get(file) ?? new Map<string, BetterSqlite3.Statement>();
  prepared.set(file, statements);
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = file.prepare(sql);
  if (statements.size >= STATEMENTS_KEPT) statements.clear();
  statements.set(sql, statement);
  return statement;
}

function run<R>(file: BetterSqlite3.Database, { sql, parameters }: CompiledQuery): QueryResult<R> {
  const statement = statementFor(file, sql);
  if (statement.reader) return { rows: statement.all(parameters) as R[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
}

const READS = /^\s*(select|with|explain)\b/i;

/** One of many over the same two handles. Within a transaction it has the writer to itself. */
class SqliteConnection implements DatabaseConnection {
  readonly #files: SqliteFiles;
  readonly #turn: Turn;
  readonly #waitMs: number;
  #endTurn: (() => void) | null = null;

  constructor(files: SqliteFiles, turn: Turn, waitMs: number) {
    this.#files = files;
    this.#turn = turn;
    this.#waitMs = waitMs;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#endTurn) return this.#noting(async () => run<R>(this.#files.writer, query));
    return this.#waiting(async (patience) => {
      if (this.#isRead(query)) return patience.whileBusy(() => run<R>(this.#files.reader, query));
      const endTurn = await this.#turn.take();
      try {
        const result = await patience.whileBusy(() => {
          this.#files.prepareToWrite();
          return run<R>(this.#files.writer, query);
        });
        this.#files.assertInPlace();
        return result;
      } finally {
        endTurn();
      }
    });
  }

  /** @throws DatabaseUnavailable, or what the query is at fault for */
  async #noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#files.noteFailure(error);
      throw translate(error);
    }
  }

  #waiting<T>(work: (patience: Patience) => Promise<T>): Promise<T> {
    const patience = new Patience(this.#waitMs);
    return this.#noting(() => work(patience)).finally(() => patience.end());
  }

  #isRead({ sql }: CompiledQuery): boolean {
    const { reader, writer } = this.#files;
    return reader !== writer && READS.test(sql) && statementFor(reader, sql).readonly;
  }

  // A transaction that reads first and writes later fails at once, without waiting, when another process
  // wrote in between. Taking the write lock at the start waits its turn instead.
  begin(): Promise<void> {
    return this.#waiting(async (patience) => {
      this.#endTurn = await this.#turn.take();
      try {
        await patience.whileBusy(() => {
          this.#files.prepareToWrite();
          this.#files.writer.exec("begin immediate");
        });
      } catch (error) {
        this.end();
        throw error;
      }
    });
  }

  async commit(): Promise<void> {
    await this.#noting(async () => {
      this.#files.writer.exec("commit");
      this.#files.assertInPlace();
    });
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

const driverOf = (files: SqliteFiles, turn: Turn, waitMs: number): Driver => ({
  init: async () => {},
  acquireConnection: async () => new SqliteConnection(files, turn, waitMs),
  beginTransaction: (connection: SqliteConnection) => connection.begin(),
  commitTransaction: (connection: SqliteConnection) => connection.commit(),
  rollbackTransaction: async (connection: SqliteConnection) => connection.end(),
  releaseConnection: async (connection: SqliteConnection) => connection.end(),
  destroy: async () => files.close(),
});

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

/**
 * @param busyTimeoutMs how long a statement waits for another process's write, the queue before it included
 * @throws DatabaseUnavailable when the file cannot be opened
 */
export function sqliteDialect(path: string, busyTimeoutMs: number) {
  const files = new SqliteFiles(path, busyTimeoutMs);
  const turn = new Turn();
  const own = new SqliteDialect({ database: files.writer });
  return {
    /** Of those who write. */
    turn,
    createDriver: () => driverOf(files, turn, busyTimeoutMs),
    createAdapter: () => new AssaySqliteAdapter(),
    createQueryCompiler: () => own.createQueryCompiler(),
    createIntrospector: (db: Parameters<Dialect["createIntrospector"]>[0]) => own.createIntrospector(db),
  };
}
